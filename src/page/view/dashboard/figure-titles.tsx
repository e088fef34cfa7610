/** Titles of the columns of a table that hold figures. */
export function FigureTitles({ titles }: { titles: readonly string[] }) {
  return (
    <>
      {titles.map((title) => (
        <th key={title} scope="col" class="figure">
          {title}
        </th>
      ))}
    </>
  );
}
