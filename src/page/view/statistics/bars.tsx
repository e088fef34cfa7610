/** Horizontal bars, which are a table for those who do not see them. */
import { useTexts } from '../context.js';

export interface Bar {
  name: string;
  /** What the name means, such as the title of a class. */
  title?: string | undefined;
  count: number;
  /** The search, narrowed to this bar. */
  link: string;
}

export function Bars({
  heading,
  bars,
  isWide = false,
}: {
  heading: string;
  bars: readonly Bar[];
  isWide?: boolean;
}) {
  const { statistics, number } = useTexts();
  const ordered = [...bars].sort((a, b) => b.count - a.count);
  const most = ordered[0]?.count ?? 1;
  if (ordered.length === 0) return null;
  return (
    <section class={isWide ? 'panel wide' : 'panel'}>
      <h2>{heading}</h2>
      <table class="bars">
        <thead class="unseen">
          <tr>
            <th scope="col">{heading}</th>
            <th scope="col">{statistics.patents}</th>
          </tr>
        </thead>
        <tbody>
          {ordered.map(({ name, title = '', count, link }) => (
            <tr key={name}>
              <th scope="row">
                <a href={link} title={statistics.narrowTo(`${name} ${title}`.trim())}>
                  {title === '' ? name : <b>{name}</b>} {title}
                </a>
              </th>
              <td>
                <a class="bar" href={link} tabIndex={-1} aria-label={statistics.narrowTo(name)}>
                  <span style={{ width: `${(count / most) * 100}%` }} />
                </a>
                <span class="bar-count">{number(count)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
