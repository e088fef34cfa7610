/** The texts of the pages. `{client}` and the other names in braces are replaced. */
export const TEXTS = {
  language: 'en',
  signInTitle: 'Sign in',
  signInFor: '{client} asks for access to the patent search at {site}.',
  account: 'Account name or id',
  password: 'Password',
  signIn: 'Sign in',
  wrong:
    'The account or the password is wrong. Check both and try again. If accounts share the name, use the id.',
  empty: 'Enter an account and a password.',
  consentTitle: 'Allow access?',
  consentFor: '{client} asks to search patents with your account.',
  youAre: 'Account',
  clientIs: 'Client',
  unverified: 'The client chose this name itself. Continue only if you have just connected it.',
  publishedAt: 'Published at',
  sentTo: 'The answer goes to',
  ofThisMachine: '{host} (a program on your own device)',
  mayDo: 'It may',
  scope: 'search patents, and read documents and drawings. Its searches count in the quota of the account.',
  mayNot: 'It does not see your password, your API keys or other data of the account.',
  allow: 'Allow',
  deny: 'Cancel',
  errorTitle: 'This did not work',
  expired: 'The sign-in has expired, or was opened in another browser. Start again in the client.',
  crossSite: 'The form was sent by another site. Start again in the client.',
  startAgain: 'Start again in the client that sent you here.',
} as const;

export type TextName = keyof typeof TEXTS;

/** A text with its names replaced. */
export function text(name: TextName, values: Readonly<Record<string, string>> = {}): string {
  return TEXTS[name].replace(/\{(\w{1,20})\}/g, (whole, key: string) => values[key] ?? whole);
}
