/**
 * The part of uWebSockets.js that its adapter uses. It is declared here because the package is optional: the
 * program must compile without it.
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
  /** Writes a chunk of a body without a length. False if the socket does not accept it now; it is then buffered. */
  write(chunk: Uint8Array): boolean;
  end(body: Uint8Array, closeConnection: boolean): UwsResponse;
  endWithoutBody(): UwsResponse;
  /** Stops reading. Neither bytes nor the end of the client's side are noticed. */
  pause(): void;
  resume(): void;
  /** Closes the connection. The abort handler runs. */
  close(): UwsResponse;
  /** Returns [the socket accepted the whole chunk without buffering, the whole answer was written]. */
  tryEnd(chunk: Uint8Array, totalBytes: number): [boolean, boolean];
  onWritable(handler: (offset: number) => boolean): UwsResponse;
}

export interface UwsApp {
  /** Calls `told` for each new connection (change 1) and each closed connection (change -1). */
  filter(told: (res: UwsResponse, change: number) => void): UwsApp;
  any(pattern: string, handler: (res: UwsResponse, req: UwsRequest) => void): UwsApp;
  listen(
    host: string,
    port: number,
    options: number,
    listening: (socket: ListenSocket | false) => void,
  ): UwsApp;
  /** Closes all connections. */
  close(): UwsApp;
}

export interface UwsModule {
  App(): UwsApp;
  /** Throws if the files are not a valid identity. */
  SSLApp(options: { key_file_name: string; cert_file_name: string }): UwsApp;
  LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  us_listen_socket_close(socket: ListenSocket): void;
  us_socket_local_port(socket: ListenSocket): number;
}
