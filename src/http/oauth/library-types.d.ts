/** The parts of oidc-provider that this program uses. The package has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export interface OidcClient {
    clientId: string;
    clientName?: string;
    clientUri?: string;
    clientSecret?: string;
    redirectUris: string[];
    clientIdMetadataDocument?: boolean;
  }

  /** A request of a client that waits for its person. */
  export interface Interaction {
    uid: string;
    returnTo: string;
    params: Record<string, string | undefined>;
    prompt: { name: string };
    result?: { login?: { accountId: string; epoch?: number }; consent?: { grantId: string } };
  }

  export interface Grant {
    jti: string;
    exp: number;
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }

  export interface Context {
    req: IncomingMessage;
    method: string;
    status: number;
    body: unknown;
    type: string;
    set(name: string, value: string): void;
  }

  export default class Provider {
    constructor(issuer: string, configuration: object);
    proxy: boolean;
    callback(): RequestListener;
    on(event: string, listener: (context: Context, error: Error) => void): this;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionResult(request: IncomingMessage, response: ServerResponse, result: object): Promise<string>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    readonly Client: {
      find(id: string): Promise<OidcClient | undefined>;
      prototype: { compareClientSecret(actual: string): boolean };
    };
    readonly Grant: new (given: {
      jti: string;
      accountId: string;
      clientId: string;
    }) => Grant;
  }

  type ErrorClass = new (message?: string) => Error;
  export const errors: {
    InvalidTarget: ErrorClass;
    InvalidGrant: ErrorClass;
    InvalidClientMetadata: ErrorClass;
    InvalidClient: ErrorClass;
    SessionNotFound: ErrorClass;
  };
}
