/** The pages of a sign-in: the password of the account first, then the consent to the client. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Account } from '../../access/records.js';
import { shownName } from './client-metadata.js';
import { errors, type Interaction, type OidcClient, type Provider } from './library.js';
import { type ClientView, consentPage, errorPage, type Page, signInPage } from './pages.js';

export interface SignInParts {
  provider: Provider;
  /** Name of this server for people. */
  site: string;
  /** Origin of this server's pages. */
  origin: string;
  /** The account and the epoch of its sessions, if the password is right. */
  checkPassword(account: string, password: string): Promise<{ account: Account; epoch: number } | undefined>;
  /** The account that has signed in; undefined if it is gone, or if its sessions have been ended since. */
  accountOf(id: string, epoch: number | undefined): Account | undefined;
  /** Makes a grant. Resolves to its id. */
  connect(account: Account, client: OidcClient, params: Interaction['params']): Promise<string>;
  endGrant(id: string): Promise<void>;
}

type Form = URLSearchParams;

/**
 * One step of a sign-in.
 * @param form what the page sent; undefined if the page is asked for
 * @returns undefined if the answer is written: back to the client
 */
export async function signInStep(
  request: IncomingMessage,
  response: ServerResponse,
  form: Form | undefined,
  parts: SignInParts,
): Promise<Page | undefined> {
  const { provider } = parts;
  if (form && !isOwnForm(request, parts.origin)) return errorPage(403, 'crossSite');
  let interaction: Interaction;
  try {
    interaction = await provider.interactionDetails(request, response);
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return errorPage(400, 'expired');
    throw error;
  }
  // Several sign-ins of one browser: the cookie is of this address's path, so this holds unless it was tampered with.
  if (!request.url!.endsWith(`/${interaction.uid}`)) return errorPage(400, 'expired');
  const client = await clientOf(provider, interaction);
  if (!client) return errorPage(400, 'expired');
  const step = form?.getAll('step').at(-1);
  if (step === 'deny') {
    // The person agreed just before, and the browser has not gone on yet.
    const given = interaction.result?.consent?.grantId;
    if (given !== undefined) await parts.endGrant(given);
    const refusal = { error: 'access_denied', error_description: 'the person did not allow the access' };
    await provider.interactionFinished(request, response, refusal);
    return undefined;
  }
  const view = viewOf(client, interaction);
  const login = interaction.result?.login;
  const account = login && parts.accountOf(login.accountId, login.epoch);
  if (account === undefined) {
    if (step !== 'sign-in') return signInPage(view, parts.site);
    return signIn(request, response, form!, view, parts);
  }
  if (step !== 'allow') return consentPage(view, account);
  // A form may be sent twice: both answers are for one grant.
  const known = interaction.result?.consent?.grantId;
  const grantId = known ?? (await parts.connect(account, client, interaction.params));
  try {
    await provider.interactionFinished(request, response, {
      // With the epoch: the form may be sent again.
      login: { ...login, accountId: account.id, remember: false },
      consent: { grantId },
    });
  } catch (error) {
    // Another answer has finished the sign-in meanwhile, its time is over, or it cannot be stored: the client does not get this grant.
    if (known === undefined) await parts.endGrant(grantId).catch(() => {});
    if (!(error instanceof errors.SessionNotFound)) throw error;
    return errorPage(400, 'expired');
  }
  return undefined;
}

/** The client of a sign-in. Its metadata document is fetched again if this process does not have it any more. */
async function clientOf(provider: Provider, { params }: Interaction): Promise<OidcClient | undefined> {
  try {
    return await provider.Client.find(params['client_id'] ?? '');
  } catch (error) {
    if (error instanceof errors.InvalidClient || error instanceof errors.InvalidClientMetadata)
      return undefined;
    throw error;
  }
}

async function signIn(
  request: IncomingMessage,
  response: ServerResponse,
  form: Form,
  view: ClientView,
  { provider, site, checkPassword }: SignInParts,
): Promise<Page> {
  const [name, password] = [form.get('account')?.trim() ?? '', form.get('password') ?? ''];
  if (name === '' || password === '') return signInPage(view, site, { account: name, fault: 'empty' });
  const found = await checkPassword(name, password);
  if (found === undefined) return signInPage(view, site, { account: name, fault: 'wrong' });
  const { account, epoch } = found;
  const login = { accountId: account.id, remember: false, epoch };
  await provider.interactionResult(request, response, { login });
  return consentPage(view, account);
}

/** Whether a form comes from a page of this server. Browsers say so; cookies of the sign-in are not sent to others. */
function isOwnForm({ headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  return headers.origin === undefined || headers.origin === origin;
}

function viewOf(client: OidcClient, { params }: Interaction): ClientView {
  const publishedAt = client.clientIdMetadataDocument ? new URL(client.clientId).host : undefined;
  return {
    name: shownName(client.clientName ?? publishedAt ?? ''),
    publishedAt,
    redirectUri: params['redirect_uri'] ?? '',
  };
}
