/** The address bar holds the state of the page. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { type Address, addressOf, linkTo } from '../model/address.js';

/** How far each address was scrolled, px, when the visitor left it. */
const places = new Map<string, number>();

/** One spelling of an address: `%20` and `+` are the same blank. */
function spelled(hash: string): string {
  const { parts, parameters } = addressOf(hash);
  return linkTo(parts, parameters);
}

/** Scrolls to where the visitor left this address, or to the top. */
export function scrollToPlace(): void {
  scrollTo(0, places.get(spelled(location.hash)) ?? 0);
}

/** The current address; the component renders again when it changes. */
export function useAddress(): Address {
  const [address, setAddress] = useState(() => addressOf(location.hash));
  // In the turn of the first rendering: an address that changes before the paint would be missed.
  useLayoutEffect(() => {
    // The browser would restore the scroll position before the view is rendered.
    history.scrollRestoration = 'manual';
    const changed = (event: HashChangeEvent) => {
      places.set(spelled(new URL(event.oldURL).hash), scrollY);
      setAddress(addressOf(location.hash));
    };
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return address;
}

/** @param link as made by `linkTo` */
export function goTo(link: string): void {
  location.hash = link;
}

/** Address of the page, without its part behind `#`. */
export const pageAddress = (): string => location.href.replace(/#.*$/s, '');

/** Address of the server, below which the API is. */
export const serverAddress = (): string => pageAddress().replace(/\/$/, '');
