/** The address bar holds the state of the page. */
import { useEffect, useState } from 'preact/hooks';
import { type Address, addressOf } from '../model/address.js';

/** The current address; the component renders again when it changes. */
export function useAddress(): Address {
  const [address, setAddress] = useState(() => addressOf(location.hash));
  useEffect(() => {
    const changed = () => setAddress(addressOf(location.hash));
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return address;
}

/** @param link as made by `linkTo` */
export function goTo(link: string): void {
  location.hash = link;
}
