/** Reporter for node's test runner: one JSON line for each skipped test, `{"name": …, "reason": …}`. */
export default async function* skips(source) {
  for await (const { type, data } of source) {
    if (type !== 'test:pass' || data.skip === undefined) continue;
    const reason = typeof data.skip === 'string' && data.skip !== '' ? data.skip : 'no reason given';
    yield `${JSON.stringify({ name: data.name, reason })}\n`;
  }
}
