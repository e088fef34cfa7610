/**
 * The address of a view: the part behind `#`, `#/patent/US11217824B2?…`. A browser does not send this part to a server, so
 * no proxy and no log learns a question from an address, and the page works below any path of a proxy.
 */

export interface Address {
  /** Decoded parts of the path: `['patent', 'US11217824B2']`; empty for the search. */
  parts: readonly string[];
  parameters: URLSearchParams;
}

/** @param hash `location.hash`, with or without `#` */
export function addressOf(hash: string): Address {
  const text = hash.replace(/^#/, '');
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  return {
    parts: path.split('/').filter(Boolean).map(decoded),
    parameters: new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)),
  };
}

/** The `href` of a view. */
export function linkTo(parts: readonly string[], parameters = new URLSearchParams()): string {
  const query = parameters.toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${query === '' ? '' : `?${query}`}`;
}

/** The `href` of the sign-in, which leads back to the view from which it was opened. @param hash of this view */
export function signInFrom(hash: string): string {
  return linkTo(['dashboard'], new URLSearchParams({ back: hash }));
}

/** The `href` of the view to which a sign-in leads back; undefined if it was opened from the dashboard. */
export function backOf(parameters: URLSearchParams): string | undefined {
  const back = parameters.get('back');
  if (back === null) return undefined;
  const { parts, parameters: ofView } = addressOf(back);
  return linkTo(parts, ofView);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
