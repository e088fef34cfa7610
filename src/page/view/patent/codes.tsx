/** Class codes of a patent, each subclass with its title. A code narrows the search from which the visitor came. */
import { linkTo } from '../../model/address.js';
import { isAsked, parametersOf, searchOf } from '../../model/fields.js';
import { within } from '../../model/narrowed.js';
import { useClassTitles } from '../class-titles.js';
import { useTexts } from '../context.js';

interface Props {
  codes: readonly string[];
  name: 'ipc_codes' | 'cpc_codes';
  /** The search from which the visitor came. */
  parameters: URLSearchParams;
}

export function Codes({ codes, name, parameters }: Props) {
  const { patent: texts, statistics } = useTexts();
  const titles = useClassTitles();
  const search = searchOf(parameters);
  const linkOf = (code: string) =>
    isAsked(search)
      ? linkTo([], parametersOf({ ...search, [name]: within(search[name], code) }))
      : linkTo([], new URLSearchParams({ query: code }));
  const subclasses = [...new Set(codes.map((code) => code.slice(0, 4)))];
  return (
    <ul class="subclasses">
      {subclasses.map((subclass) => (
        <li key={subclass}>
          {titles?.titleOf(subclass) && (
            <span class="soft">
              {subclass} {titles.titleOf(subclass)}
            </span>
          )}
          <ul class="codes">
            {codes
              .filter((code) => code.startsWith(subclass))
              .map((code) => (
                <li key={code}>
                  <a
                    href={linkOf(code)}
                    title={isAsked(search) ? statistics.narrowTo(code) : texts.searchClass(code)}
                  >
                    {code}
                  </a>
                </li>
              ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}
