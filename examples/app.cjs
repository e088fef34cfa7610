/** Adds, updates, searches, iterates and deletes patents. Run: node app.cjs */
const { open } = require('priorart');

const records = [
  {
    patent_id: 'US11777158B2',
    title: 'Immersion-cooled battery module',
    abstract:
      'A battery module whose cells are immersed in a dielectric liquid that flows along their sides.',
  },
  {
    patent_id: 'EP03539467A1',
    title: 'Surgical stapler',
    abstract: 'A stapler with a cartridge that holds rows of staples and an anvil that forms them.',
  },
];

async function main() {
  const index = await open(process.argv[2] ?? './patents', { create: true, workers: 1 });
  console.log(`added ${(await index.ingest(records)).ingested}`);

  const [stapler] = await index.get('EP 3 539 467 A1');
  const updated = await index.ingest([{ ...stapler, title: 'Surgical stapler with an anvil' }]);
  console.log(`updated ${updated.updated}`);

  const { results } = await index.search({ query: 'cooling battery cells with a liquid', top_k: 1 });
  console.log(`found ${results[0]?.patent_id}`);

  for await (const patent of index.patents()) console.log(`holds ${patent.patent_id} ${patent.title}`);

  const { deleted } = await index.delete(['EP03539467A1']);
  console.log(`deleted ${deleted.join()}, left ${(await index.coverage()).total}`);
  await index.close();
}

main();
