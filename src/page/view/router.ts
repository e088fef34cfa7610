/** The address bar holds the state of the page. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { type Address, addressOf, linkTo } from '../model/address.js';

interface Place {
  /** How far it was scrolled, px. */
  top: number;
  /** Address of the link that had the focus. */
  link: string | undefined;
}

/** Where the visitor was at each address when it was left. */
const places = new Map<string, Place>();

/** One spelling of an address: `%20` and `+` are the same blank. */
function spelled(hash: string): string {
  const { parts, parameters } = addressOf(hash);
  return linkTo(parts, parameters);
}

/** Scrolls to where the visitor left this address, or to the top. */
export function scrollToPlace(): void {
  scrollTo(0, places.get(spelled(location.hash))?.top ?? 0);
}

/** Whether the visitor was at another address since the page was loaded. */
export const hasMoved = (): boolean => places.size > 0;

/**
 * Focuses the link by which the visitor left this address.
 * @returns whether the page has that link
 */
export function focusPlace(): boolean {
  const link = places.get(spelled(location.hash))?.link;
  const links = document.querySelectorAll<HTMLAnchorElement>('#content a');
  const left = [...links].find((one) => link !== undefined && one.getAttribute('href') === link);
  left?.focus({ preventScroll: true });
  return left !== undefined;
}

/** Whether the visitor came back to the current step of the history, or went forward to it. */
let isVisited = false;
export const isReturn = (): boolean => isVisited;

/** Marks the current step of the history as visited. */
function mark(): void {
  isVisited = history.state !== null;
  history.replaceState(1, '');
}

/** The current address; the component renders again when it changes. */
export function useAddress(): Address {
  const [address, setAddress] = useState(() => addressOf(location.hash));
  // In the turn of the first rendering: an address that changes before the paint would be missed.
  useLayoutEffect(() => {
    // The browser would restore the scroll position before the view is rendered.
    history.scrollRestoration = 'manual';
    const changed = (event: HashChangeEvent) => {
      const link = document.activeElement?.closest('#content a')?.getAttribute('href') ?? undefined;
      places.set(spelled(new URL(event.oldURL).hash), { top: scrollY, link });
      mark();
      setAddress(addressOf(location.hash));
    };
    mark();
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return address;
}

/** @param link as made by `linkTo` */
export function goTo(link: string): void {
  location.hash = link;
}

/** As `goTo`, without a new step in the history: going back leads to what was before this view. */
export function goOnTo(link: string): void {
  location.replace(link);
}

/** Address of the page, without its part behind `#`. */
export const pageAddress = (): string => location.href.replace(/#.*$/s, '');

/** Address of the server, below which the API is. */
export const serverAddress = (): string => location.href.replace(/[?#].*$/s, '').replace(/\/$/, '');
