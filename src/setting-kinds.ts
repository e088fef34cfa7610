/** Kinds of settings: each reads its value from a text, and says what it expects. */

export interface Setting<T> {
  env: string;
  /** Flag with the name of its value, as commander declares it. */
  flag: string;
  default: T;
  /** What happens without a value, for a setting without a default. */
  unset?: string;
  description: string;
  /** Description of valid values, for messages. */
  expected: string;
  /** Undefined if the text is not a valid value. */
  read(text: string): T | undefined;
}

type Description = Pick<Setting<unknown>, 'env' | 'flag' | 'description' | 'unset'>;

export function text(setting: Description & { default: string }): Setting<string> {
  return { ...setting, expected: 'a text', read: (value) => (value.trim() === '' ? undefined : value) };
}

/** A text without a default. `unset` says what happens without a value. */
export function optionalText(setting: Description & { unset: string }): Setting<string | undefined> {
  const { read, ...rest } = text({ ...setting, default: '' });
  return { ...rest, read, default: undefined };
}

export function integer(
  setting: Description & { default: number; min: number; max: number },
): Setting<number> {
  const { min, max } = setting;
  const read = (value: string) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  };
  return { ...setting, expected: `an integer from ${min} to ${max}`, read };
}

export function share(setting: Description & { default: number }): Setting<number> {
  const read = (value: string) => {
    const number = /^(\d(\.\d{0,9})?|\.\d{1,9})$/.test(value) ? Number(value) : Number.NaN;
    return number >= 0 && number <= 1 ? number : undefined;
  };
  return { ...setting, expected: 'a number from 0 to 1', read };
}

/** An integer without a default. `unset` says what happens without a value. */
export function optionalInteger(
  setting: Description & { unset: string; min: number; max: number },
): Setting<number | undefined> {
  return { ...integer({ ...setting, default: 0 }), default: undefined };
}

/** An address without a query, to which paths are appended: `https://example.com/patents`. */
export function optionalUrl(setting: Description & { unset: string }): Setting<string | undefined> {
  const read = (value: string) => {
    if (!URL.canParse(value)) return undefined;
    const { protocol, origin, pathname, search, hash, username, password } = new URL(value);
    const isPlain = search + hash + username + password === '' && /^https?:$/.test(protocol);
    let end = pathname.length;
    while (pathname[end - 1] === '/') end -= 1;
    return isPlain ? origin + pathname.slice(0, end) : undefined;
  };
  return { ...setting, default: undefined, expected: 'an address such as https://example.com/patents', read };
}

/** An address that is used exactly as it is written. */
export function optionalExactUrl(setting: Description & { unset: string }): Setting<string | undefined> {
  const read = (value: string) => (/^https?:\/\//.test(value) && URL.canParse(value) ? value : undefined);
  return { ...setting, default: undefined, expected: 'an address such as https://example.com/jwks', read };
}

/** Scopes of OAuth, separated by blanks. They stand in headers, so they have the characters of RFC 6749, section 3.3. */
export function optionalScopes(setting: Description & { unset: string }): Setting<string | undefined> {
  const read = (value: string) => {
    const scopes = value.split(' ').filter((scope) => scope !== '');
    const isList = scopes.length > 0 && scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
    return isList ? [...new Set(scopes)].join(' ') : undefined;
  };
  const expected = 'scopes such as patents:read, separated by blanks: ASCII without quotes and backslashes';
  return { ...setting, default: undefined, expected, read };
}

/** Addresses without a path, separated by commas. */
export function addresses(setting: Description & { unset: string }): Setting<string[] | undefined> {
  const read = (value: string) => {
    const list = value.split(',').map((address) => address.trim());
    const isAddress = (address: string) =>
      /^https?:\/\//.test(address) &&
      URL.canParse(address) &&
      [`${new URL(address).origin}`, `${new URL(address).origin}/`].includes(address.toLowerCase());
    return list.every(isAddress) ? list.map((address) => new URL(address).origin) : undefined;
  };
  const expected = 'addresses such as https://node-1:9200,https://node-2:9200, without a user and a path';
  return { ...setting, default: undefined, expected, read };
}

export function choice<const T extends string>(
  setting: Description & { default: NoInfer<T>; values: readonly T[] },
): Setting<T> {
  const read = (value: string) => setting.values.find((known) => known === value);
  return { ...setting, expected: `one of ${setting.values.join(', ')}`, read };
}
