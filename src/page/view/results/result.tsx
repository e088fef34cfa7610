/** One result: what it is, how near it is, what matches, and where to go from it. */
import { useState } from 'preact/hooks';
import { isGrant } from '../../../patent/kind.js';
import type { SearchResult } from '../../../search/public-types.js';
import { linkTo } from '../../model/address.js';
import { type Country, parametersOf, type Search } from '../../model/fields.js';
import { isolated } from '../../model/isolated.js';
import { printedNumber } from '../../model/number.js';
import { isTitleOnly } from '../../model/relevance.js';
import { lessLike, moreLike, priorArtFor, publishedBefore } from '../../model/steps.js';
import { useTexts } from '../context.js';
import { PublicationNumber } from '../parts/number.js';
import { Passages } from './passages.js';
import { Similarity } from './similarity.js';
import { Why } from './why.js';

export function drawingSource(id: string, file: string): string {
  return `api/v1/drawings/${encodeURIComponent(id)}/${encodeURIComponent(file)}`;
}

/** Language of most texts of an office, by which a browser chooses the forms of Han characters; EP has three. */
const LANGUAGE_OF: Readonly<Record<Country, string | undefined>> = {
  US: 'en',
  KR: 'ko',
  JP: 'ja',
  CN: 'zh',
  EP: undefined,
};

export const languageOf = (country: Country): string | undefined => LANGUAGE_OF[country];

interface Props {
  search: Search;
  result: SearchResult;
  /** Whether it says that its similarity is low, since no line in the list says so. */
  isMarked: boolean;
}

export function Result({ search, result, isMarked }: Props) {
  const { results: texts, filters } = useTexts();
  const { patent_id: id, title, applicant, members = [], explanation } = result;
  const others = members.filter((member) => member.patent_id !== id);
  const here = parametersOf(search);
  const language = languageOf(result.country);
  return (
    <li class="result">
      <div class="result-text">
        <h2>
          <a href={linkTo(['patent', id], here)} lang={language}>
            {title || texts.untitled}
          </a>
        </h2>
        <p class="result-line">
          <PublicationNumber id={id} />
          <span title={filters.countries[result.country]} class="badge">
            {result.country} {result.kind_code}
          </span>
          {isTitleOnly(result) && <span class="badge warn">{texts.titleOnly}</span>}
          {isMarked && <span class="badge low">{texts.below}</span>}
          {result.filing_date && (
            <span>
              {texts.filed} <time dateTime={result.filing_date}>{result.filing_date}</time>
            </span>
          )}
          {result.publication_date && (
            <span>
              {publishedAs(result, texts)}{' '}
              <time dateTime={result.publication_date}>{result.publication_date}</time>
            </span>
          )}
        </p>
        {applicant !== '' && (
          <p class="result-applicant" lang={language}>
            {applicant.split('; ').map(isolated).join('; ')}
          </p>
        )}
      </div>
      <Similarity value={result.similarity_score} />
      {result.representative_figure && (
        <Thumbnail
          source={drawingSource(id, result.representative_figure)}
          alt={texts.drawing(id)}
          link={linkTo(['patent', id], here)}
        />
      )}
      <div class="result-body">
        <Passages chunks={result.chunks} language={language} first={explanation?.decided_by ?? 0} />
        {others.length > 0 && (
          <p class="members">
            {texts.also}{' '}
            {others.map((member) => (
              <a key={member.patent_id} class="badge" href={linkTo(['patent', member.patent_id], here)}>
                {printedNumber(member.patent_id)}
              </a>
            ))}
          </p>
        )}
        <div class="result-actions">
          <Why result={result} question={search.query} />
          <Actions search={search} id={id} isDated={result.filing_date !== undefined} />
        </div>
      </div>
    </li>
  );
}

/** A grant is published as a grant: several offices have a word of its own for that. */
function publishedAs({ country, kind_code }: SearchResult, texts: ReturnType<typeof useTexts>['results']) {
  return isGrant(country, kind_code) ? texts.publishedGrant : texts.published;
}

interface ActionsProps {
  search: Search;
  id: string;
  /** Whether its filing date is known. An answer has no priority date, and without a filing date the index seldom knows one. */
  isDated: boolean;
}

function Actions({ search, id, isDated }: ActionsProps) {
  const { results: texts } = useTexts();
  const to = (wanted: Search) => linkTo([], parametersOf(wanted));
  return (
    <p class="actions">
      <a href={to(moreLike(search, id))}>{texts.moreLike}</a>
      <a href={to(lessLike(search, id))}>{texts.lessLike}</a>
      {isDated && (
        <>
          <a href={to(priorArtFor(search, id))}>{texts.priorArt}</a>
          <a href={to(publishedBefore(search, id))}>{texts.before}</a>
        </>
      )}
    </p>
  );
}

/** Loaded when it is scrolled to. A drawing that does not arrive leaves no hole. */
function Thumbnail({ source, alt, link }: { source: string; alt: string; link: string }) {
  const [isMissing, setMissing] = useState(false);
  if (isMissing) return null;
  return (
    <a class="thumbnail" href={link} tabIndex={-1}>
      <img src={source} alt={alt} loading="lazy" decoding="async" onError={() => setMissing(true)} />
    </a>
  );
}
