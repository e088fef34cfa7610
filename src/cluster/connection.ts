/** Connections to nodes, without two faults of the library's own. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Connection } from '@opensearch-project/opensearch';
import type { Library } from './library.js';

type Callback = (error: Error | null, response: IncomingMessage | null) => void;
interface Requesting {
  request(params: unknown, callback: Callback): ClientRequest;
}

/**
 * The library stops the clock when the head of an answer arrives: a node that hangs after it would be waited for without
 * end. And it prints an error of the socket that comes later to standard output, where the messages of `mcp` and the lines
 * of `export` are.
 */
export function quietConnection(library: Library): typeof Connection {
  class QuietConnection extends library.Connection {}
  const { request: send } = library.Connection.prototype as unknown as Requesting;
  (QuietConnection.prototype as unknown as Requesting).request = function request(params, callback) {
    const sent: ClientRequest = send.call(this, params, (error, response) => {
      if (response !== null) {
        sent.removeAllListeners('error');
        sent.on('error', () => {});
        sent.on('timeout', () => response.destroy(new Error('the answer of the node stopped half-way')));
      }
      callback(error, response);
    });
    return sent;
  };
  return QuietConnection;
}
