/**
 * Builds with one durability step removed each. A patch contains compiled text that must occur exactly once, so that
 * a change of the source fails visibly; white space is ignored. `fs_` is node:fs in every patched file.
 */

export interface Patch {
  /** Path below `dist/src`. */
  file: string;
  find: string;
  replace: string;
}

export interface Variant {
  /** Short name for the command line. */
  name: string;
  /** The removed step. */
  step: string;
  /** The part of the harness that runs first. */
  by: 'power-cuts' | 'kills' | 'bit-flips';
  patches: Patch[];
}

/** Answered searches that are not counted yet, by account. */
const PENDING = '(globalThis.uncounted ??= new Map())';
/** Keys whose revocation only this process knows. */
const REVOKED = '(globalThis.revoked ??= new Set())';

/** The unchanged build. */
export const NOTHING_REMOVED: Variant = {
  name: 'as it is',
  by: 'power-cuts',
  step: 'nothing is removed',
  patches: [],
};

export const VARIANTS: readonly Variant[] = [
  {
    name: 'segment-sync',
    by: 'power-cuts',
    step: 'the file of a segment is not synced',
    patches: [
      {
        file: 'index/segment.js',
        find: 'this.#segment = segment;',
        replace: 'this.#segment = segment; this.folder = dir;',
      },
      {
        file: 'index/segment.js',
        find: 'const written = calling(() => this.#writer.finish());',
        replace: `const written = calling(() => this.#writer.finish());
          const dir = this.folder;
          const unsynced = join(dir, SEGMENT_FILE), bytes = fs_.readFileSync(unsynced);
          fs_.rmSync(unsynced);
          fs_.writeFileSync(unsynced, bytes);
          const folder = fs_.openSync(dir);
          fs_.fsyncSync(folder);
          fs_.closeSync(folder);`,
      },
    ],
  },
  {
    name: 'folder-sync',
    by: 'power-cuts',
    step: 'the parent folder of a new segment is not synced',
    patches: [
      {
        file: 'index/segment.js',
        find: 'makeDurableFolder(dir);',
        replace: 'fs_.mkdirSync(dir, { recursive: true });',
      },
    ],
  },
  {
    name: 'manifest-first',
    by: 'power-cuts',
    step: 'the manifest is committed before its files are in place',
    patches: [
      {
        file: 'ingest/folder-target.js',
        find: 'return writeSegment(this.#store, segment, firstDoc, fitting);',
        replace: `const entry = writeSegment(this.#store, segment, firstDoc, fitting);
          fs_.rmSync(this.#store.segmentDir(segment) + '.later', { recursive: true, force: true });
          fs_.renameSync(this.#store.segmentDir(segment), this.#store.segmentDir(segment) + '.later');
          return entry;`,
      },
      {
        file: 'ingest/folder-target.js',
        find: 'return outcomes;',
        replace: `fs_.renameSync(this.#store.segmentDir(written) + '.later', this.#store.segmentDir(written));
            return outcomes;`,
      },
    ],
  },
  {
    name: 'two-transactions',
    by: 'power-cuts',
    step: 'records and manifest are written in two transactions',
    patches: [
      {
        file: 'store/commit.js',
        find: `return transaction(store, () => {
        const manifest = structuredClone(store.manifest());`,
        replace: `let later;
        const done = transaction(store, () => {
        const manifest = structuredClone(store.manifest());`,
      },
      {
        file: 'store/commit.js',
        find: 'store.meta.putSync(MANIFEST, manifest);',
        replace: 'later = manifest;',
      },
      {
        file: 'store/commit.js',
        find: `return { ...wanted, bytes: (wanted.bytes ?? 0) + lists() };
    });`,
        replace: `return { ...wanted, bytes: (wanted.bytes ?? 0) + lists() };
    });
        transaction(store, () => store.meta.putSync(MANIFEST, later));
        return done;`,
      },
    ],
  },
  {
    name: 'half-batch',
    by: 'power-cuts',
    step: 'a batch is committed in two halves',
    patches: [
      {
        file: 'ingest/folder-target.js',
        find: 'const outcomes = commitDocuments(this.#store, model, documents, (segment, firstDoc, fitting) => {',
        replace: `const middle = documents.length >> 1;
          const parts = [documents.slice(0, middle), documents.slice(middle)].filter((part) => part.length > 0);
          const outcomes = parts.flatMap((part) => commitDocuments(this.#store, model, part, (segment, firstDoc, fitting) => {`,
      },
      {
        file: 'ingest/folder-target.js',
        find: `return writeSegment(this.#store, segment, firstDoc, fitting);
            });`,
        replace: `return writeSegment(this.#store, segment, firstDoc, fitting);
            }));`,
      },
    ],
  },
  {
    name: 'ledger-first',
    by: 'power-cuts',
    step: 'a file enters the ledger before its last publications are committed',
    patches: [
      {
        file: 'ingest/ingest-run.js',
        find: `if (this.#pending.length > 0)
            await this.#commitPending();`,
        replace: `await this.#target.enter(this.#tallies.takeEnded());
        if (this.#pending.length > 0)
            await this.#commitPending();`,
      },
    ],
  },
  {
    name: 'no-checksum',
    by: 'bit-flips',
    step: 'the checksums of stored values are not verified',
    patches: [
      {
        file: 'store/checked-values.js',
        find: 'if (end <= 0 || crc32(source.subarray(0, end)) !== sumAt(source, end)) {',
        replace: 'if (end <= 0) {',
      },
    ],
  },
  {
    name: 'deleted-in-merge',
    by: 'power-cuts',
    step: 'deletions during a merge are not carried over',
    patches: [{ file: 'store/commit.js', find: 'if (later.length > 0)', replace: 'if (false)' }],
  },
  {
    name: 'quota-in-memory',
    by: 'kills',
    step: 'the used quota is kept in memory and written later',
    patches: [
      {
        file: 'http/admission/admission.js',
        find: 'const settled = this.#services.limits.settle(reservation, status === 200);',
        replace: `const { limits } = this.#services, id = this.#caller.account.id, pending = ${PENDING};
        const add = (count) => pending.set(id, (pending.get(id) ?? 0) + count);
        const later = () => { add(-1); limits.settle(reservation, true); };
        if (status === 200) { add(1); setTimeout(later, 5000).unref(); }
        const settled = status === 200
          ? { answerable: true, state: limits.quotaState(this.#caller.account) }
          : limits.settle(reservation, false);`,
      },
      {
        file: 'http/routes/account-with-quota.js',
        find: 'const { used, cycle } = quotas[n];',
        replace: `const { used: written, cycle } = quotas[n];
        const used = written + (${PENDING}.get(account.id) ?? 0);`,
      },
    ],
  },
  {
    name: 'revoked-in-memory',
    by: 'kills',
    step: 'a revocation is kept in memory and written later',
    patches: [
      {
        file: 'http/routes/admin/keys/route.js',
        find: "answer(await adminOf(call).store.revoke(call.parameters['key'])),",
        replace: `{
          const { store } = adminOf(call), id = call.parameters['key'];
          ${REVOKED}.add(id);
          setTimeout(() => store.revoke(id), 5000).unref();
          return answer({ ...store.key(id), state: 'deactivated' });
        },`,
      },
      {
        file: 'http/admission/api-key.js',
        find: 'const result = access.verify(sent);',
        replace: `let result = access.verify(sent);
        if (result.ok && ${REVOKED}.has(result.key.id)) result = { ok: false, reason: 'deactivated', key: result.key };`,
      },
    ],
  },
  {
    name: 'drawing-linked-first',
    by: 'power-cuts',
    step: 'a drawing is linked before its file exists',
    patches: [
      {
        file: 'drawings/keep.js',
        find: 'return { content: await files.put(image), thumbnail: await files.put(thumbnail), width, height };',
        replace: `const { createHash } = await import('node:crypto');
        const contentOf = (bytes) => createHash('sha256').update(bytes).digest('hex');
        setTimeout(async () => { await files.put(image); await files.put(thumbnail); }, 20);
        return { content: contentOf(image), thumbnail: contentOf(thumbnail), width, height };`,
      },
    ],
  },
  {
    name: 'drawing-sync',
    by: 'power-cuts',
    step: 'the file of a drawing is not synced',
    patches: [{ file: 'drawings/files.js', find: 'await file.sync();', replace: '' }],
  },
];
