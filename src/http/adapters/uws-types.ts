/**
 * The part of uWebSockets.js that its adapter uses. Declared here because the package is optional: the
 * program must compile, too, where it is not installed.
 */
export type ListenSocket = { readonly __listenSocket: unique symbol };

export interface UwsRequest {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  forEach(each: (name: string, value: string) => void): void;
}

export interface UwsResponse {
  onAborted(handler: () => void): UwsResponse;
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): UwsResponse;
  /** 4 or 16 bytes. */
  getRemoteAddress(): ArrayBuffer;
  cork(write: () => void): UwsResponse;
  writeStatus(status: string): UwsResponse;
  writeHeader(name: string, value: string): UwsResponse;
  end(body: string | Uint8Array, closeConnection: boolean): UwsResponse;
  endWithoutBody(): UwsResponse;
  /** Stops reading: neither bytes nor the end of what the client sends are noticed. */
  pause(): void;
  resume(): void;
  /** Hangs up; the abort handler runs. */
  close(): UwsResponse;
  /** Returns [nothing had to wait, all of it was taken]. */
  tryEnd(chunk: Uint8Array | string, totalBytes: number): [boolean, boolean];
  onWritable(handler: (offset: number) => boolean): UwsResponse;
}

export interface UwsApp {
  /** Told of connections that come (1, with the connection) and go (-1). */
  filter(told: (res: UwsResponse, change: number) => void): UwsApp;
  any(pattern: string, handler: (res: UwsResponse, req: UwsRequest) => void): UwsApp;
  listen(
    host: string,
    port: number,
    options: number,
    listening: (socket: ListenSocket | false) => void,
  ): UwsApp;
  /** Hangs up on every connection. */
  close(): UwsApp;
}

export interface UwsModule {
  App(): UwsApp;
  /** Throws where the files do not make an identity. */
  SSLApp(options: { key_file_name: string; cert_file_name: string }): UwsApp;
  LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  us_listen_socket_close(socket: ListenSocket): void;
  us_socket_local_port(socket: ListenSocket): number;
}
