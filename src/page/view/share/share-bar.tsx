/** Takes a search elsewhere: its address, its results as a file, its request as code. */
import { useRef, useState } from 'preact/hooks';
import type { DetailsResponse, SearchResponse } from '../../../search/public-types.js';
import { csvOf, curlOf, fileNameOf, jsonOf, libraryCodeOf, type Source } from '../../model/export.js';
import type { Search } from '../../model/fields.js';
import { semanticRequest } from '../../model/request.js';
import { answeredAt, postInSession } from '../answers.js';
import { type ApiError, failureOf } from '../api.js';
import { useTexts } from '../context.js';
import { Copy } from '../parts/copy.js';
import { Failure } from '../parts/failure.js';
import { pageAddress, serverAddress } from '../router.js';

export function ShareBar({ search, answer }: { search: Search; answer: SearchResponse }) {
  const { share } = useTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  const [error, setError] = useState<ApiError>();
  const [isSaving, setSaving] = useState(false);
  const source = (): Source => ({ search, page: pageAddress(), searchedAt: answeredAt(answer) });
  const saveCsv = async () => {
    setSaving(true);
    setError(undefined);
    try {
      // What the list lacks: one call for all results. It counts nothing.
      const { patents } = await postInSession<DetailsResponse>('api/v1/patents/details', {
        patent_ids: answer.results.map(({ patent_id }) => patent_id),
        sections: 'title',
        bibliography: true,
      });
      download(fileNameOf(source(), 'csv'), 'text/csv', csvOf(answer.results, patents, source()));
    } catch (cause) {
      setError(failureOf(cause));
    } finally {
      setSaving(false);
    }
  };
  return (
    <div class="share">
      <Copy label={share.copyLink} text={() => location.href} />
      <button
        type="button"
        class="button"
        aria-label={share.download('CSV')}
        disabled={isSaving}
        onClick={saveCsv}
      >
        {share.csv}
      </button>
      <button
        type="button"
        class="button"
        aria-label={share.download('JSON')}
        onClick={() => download(fileNameOf(source(), 'json'), 'application/json', jsonOf(answer, source()))}
      >
        {share.json}
      </button>
      <button type="button" class="button" onClick={() => dialog.current?.showModal()}>
        {share.asRequest}
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby="request-heading">
        <RequestAsCode search={search} onClose={() => dialog.current?.close()} />
      </dialog>
      {error && <Failure error={error} heading={share.failed} onRetry={saveCsv} />}
    </div>
  );
}

function RequestAsCode({ search, onClose }: { search: Search; onClose(): void }) {
  const { share, patent } = useTexts();
  const request = semanticRequest(search);
  const [curl, code] = [curlOf(serverAddress(), request), libraryCodeOf(request)];
  return (
    <>
      <div class="dialog-head">
        <h2 id="request-heading">{share.asRequest}</h2>
        <button type="button" class="button" onClick={onClose}>
          {patent.close}
        </button>
      </div>
      <div class="code-head">
        <h3>{share.curl}</h3>
        <Copy label={share.copy} text={() => curl} />
      </div>
      <pre>{curl}</pre>
      <p class="soft">{share.curlHelp}</p>
      <div class="code-head">
        <h3>{share.library}</h3>
        <Copy label={share.copy} text={() => code} />
      </div>
      <pre>{code}</pre>
    </>
  );
}

function download(name: string, type: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  // The browser reads the file after this turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
