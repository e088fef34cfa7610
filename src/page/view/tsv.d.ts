/** A table, which the bundle holds as text. */
declare module '*.tsv' {
  const table: string;
  export default table;
}
