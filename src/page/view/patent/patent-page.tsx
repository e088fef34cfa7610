/** A patent: bibliographic data, drawings, claims as a tree, description, family. */
import { Fragment } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { DetailsEntry, DetailsResponse } from '../../../search/public-types.js';
import { linkTo } from '../../model/address.js';
import { priorityOf } from '../../model/as-of.js';
import { documentOf, type PatentDocument } from '../../model/document.js';
import { isAsked, parametersOf, type Search, searchOf } from '../../model/fields.js';
import { moreLike, priorArtFor, publishedBefore } from '../../model/steps.js';
import { useAnswer } from '../answers.js';
import { useSession, useTexts } from '../context.js';
import { usePageTitle } from '../page-title.js';
import { Copy } from '../parts/copy.js';
import { Failure } from '../parts/failure.js';
import { PublicationNumber } from '../parts/number.js';
import { Progress } from '../parts/progress.js';
import { languageOf } from '../results/result.js';
import { focusPlace, isReturn, scrollToPlace } from '../router.js';
import { Bibliography } from './bibliography.js';
import { Citations } from './citations.js';
import { Claims } from './claims.js';
import { Description } from './description.js';
import { Drawings } from './drawings.js';
import { Related } from './related.js';

interface Props {
  id: string;
  /** The search from which the visitor came. */
  parameters: URLSearchParams;
}

export function PatentPage({ id, parameters }: Props) {
  const { patent: texts, results } = useTexts();
  const session = useSession();
  const isReady = session.status !== 'waiting';
  const { answer, error, isWaiting, retry } = useAnswer<DetailsResponse>(
    'api/v1/patents/details',
    isReady ? { patent_ids: [id], bibliography: true } : undefined,
  );
  const entry = answer?.patents[0];
  const isCurrent = !isWaiting && isReady;
  usePageTitle(titleOf(id, isCurrent && !error ? entry : undefined, texts, results.untitled));
  return (
    <div class="patent">
      <div class="patent-line">
        {isAsked(searchOf(parameters)) ? <a href={linkTo([], parameters)}>← {texts.back}</a> : <span />}
      </div>
      {!isCurrent && <Progress text={texts.loading} />}
      {error && <Failure error={error} onRetry={retry} />}
      {isCurrent && !error && entry?.error && <Missing id={id} entry={entry} parameters={parameters} />}
      {isCurrent && !error && entry && !entry.error && (
        <Patent key={id} entry={entry} parameters={parameters} />
      )}
    </div>
  );
}

type PatentTexts = ReturnType<typeof useTexts>['patent'];

/** The number and the title; that it is missing; or the number alone until the answer is there. */
function titleOf(id: string, entry: DetailsEntry | undefined, texts: PatentTexts, untitled: string): string {
  if (!entry) return id;
  if (entry.error) return missing(id, entry, texts);
  return `${entry.patent_id} ${entry.metadata?.title || untitled}`;
}

const missing = (id: string, { error }: DetailsEntry, texts: PatentTexts): string =>
  error === 'ambiguous' ? texts.ambiguous(id) : texts.notFound(id);

function Missing({
  id,
  entry,
  parameters,
}: {
  id: string;
  entry: DetailsEntry;
  parameters: URLSearchParams;
}) {
  const { patent: texts } = useTexts();
  const candidates = entry.candidates ?? [];
  return (
    <div class="note warn" role="alert">
      <h1>{missing(id, entry, texts)}</h1>
      {candidates.length === 0 && <p>{texts.notFoundHelp}</p>}
      <ul>
        {candidates.map((candidate) => (
          <li key={candidate}>
            <a href={linkTo(['patent', candidate], parameters)}>{candidate}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

const PARTS = ['abstract', 'claims', 'description'] as const;

function Patent({ entry, parameters }: { entry: DetailsEntry; parameters: URLSearchParams }) {
  const { patent: texts, results, share } = useTexts();
  const { patent_id: id, metadata, content = '' } = entry;
  const applicants = entry.bibliography?.applicants ?? [];
  const document_ = useMemo(() => documentOf(content), [content]);
  const [drawing, setDrawing] = useState<number>();
  const hasText = [document_.abstract, document_.claims, document_.description].some(
    (part) => part.length > 0,
  );
  const heading = useRef<HTMLHeadingElement>(null);
  const search = searchOf(parameters);
  // Without a priority date there is no day before which others were published.
  const isDated = priorityOf(entry) !== undefined;
  const to = (wanted: Search) => linkTo([], parametersOf(wanted));
  const title = metadata?.title || results.untitled;
  const language = metadata && languageOf(metadata.country);
  useEffect(() => {
    // A link to a patent leads to its beginning, also if it was read before.
    const isBack = isReturn();
    if (!isBack || !focusPlace()) heading.current?.focus({ preventScroll: true });
    if (isBack) scrollToPlace();
    else scrollTo(0, 0);
  }, [id, title]);
  return (
    <article>
      <header class="patent-head">
        <h1 ref={heading} tabIndex={-1} lang={language}>
          {title}
        </h1>
        <p class="result-line">
          <PublicationNumber id={id} />
          {metadata && (
            <span class="badge">
              {metadata.country} {metadata.kind_code}
            </span>
          )}
          {applicants.length > 0 && (
            <span>
              {applicants.map(({ name }, at) => (
                <Fragment key={at}>
                  {at > 0 && '; '}
                  <bdi>{name}</bdi>
                </Fragment>
              ))}
            </span>
          )}
        </p>
        <div class="share">
          <Copy label={share.copyLink} text={() => location.href} />
          <a class="button" href={to(moreLike(search, id))}>
            {results.moreLike}
          </a>
          {isDated && (
            <a class="button" href={to(priorArtFor(search, id))}>
              {results.priorArt}
            </a>
          )}
          {isDated && isAsked(search) && (
            <a class="button" href={to(publishedBefore(search, id))}>
              {results.before}
            </a>
          )}
        </div>
      </header>
      <div class="patent-columns">
        <div class="patent-side">
          {document_.drawings.length > 0 ? (
            <Drawings drawings={document_.drawings} asked={drawing} onClosed={() => setDrawing(undefined)} />
          ) : (
            <p class="no-drawings soft">{texts.noDrawings}</p>
          )}
          <Bibliography entry={entry} parameters={parameters} />
          <Citations
            citations={entry.bibliography?.citations ?? []}
            day={metadata?.publication_date}
            parameters={parameters}
          />
          <Related id={id} parameters={parameters} />
        </div>
        <div class="patent-text">
          {hasText ? (
            <Parts patent={document_} language={language} onDrawing={setDrawing} />
          ) : (
            <p class="note warn title-only">{texts.titleOnly}</p>
          )}
        </div>
      </div>
    </article>
  );
}

interface PartsProps {
  patent: PatentDocument;
  language: string | undefined;
  onDrawing(at: number): void;
}

/** Abstract, claims and description. A part that is missing says so. */
function Parts({ patent, language, onDrawing }: PartsProps) {
  const { patent: texts } = useTexts();
  return (
    <>
      <nav class="parts" aria-label={texts.parts}>
        {PARTS.map((part) => (
          <button key={part} type="button" class="button" onClick={() => showPart(part)}>
            {texts[part]}
          </button>
        ))}
      </nav>
      <section id="part-abstract" tabIndex={-1} aria-labelledby="heading-abstract">
        <h2 id="heading-abstract">{texts.abstract}</h2>
        {patent.abstract.map((text, at) => (
          <p key={at} class="prose" lang={language}>
            {text}
          </p>
        ))}
        {patent.abstract.length === 0 && <p class="soft">{texts.noText}</p>}
      </section>
      <Claims claims={patent.claims} language={language} />
      <Description document={patent} language={language} onDrawing={onDrawing} />
    </>
  );
}

function showPart(part: string): void {
  const section = document.getElementById(`part-${part}`);
  section?.scrollIntoView();
  section?.focus({ preventScroll: true });
}
