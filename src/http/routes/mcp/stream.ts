/**
 * The body of GET /mcp/sse: a stream of events, which lives until its client disconnects, its key is revoked, or the server
 * closes.
 */
import type { ApiKey } from '../../../access/records.js';
import type { EventBody } from '../../adapters/adapter.js';
import type { McpEndpoint } from '../../mcp-endpoint.js';

/** @throws PriorartError `rate_limited`, `unavailable` */
export function openStream(endpoint: McpEndpoint, key: Pick<ApiKey, 'id' | 'account'>): EventBody {
  const id = endpoint.reserve(key);
  return {
    begin(sink) {
      // `close` of the endpoint gave the place back.
      if (!endpoint.streams.has(id)) {
        sink.write(': the server stops\n\n');
        sink.end();
        return;
      }
      // Relative, because a proxy may serve this server below a path.
      const session = endpoint.stream(sink, `messages?session=${id}`);
      endpoint.streams.set(id, { key: key.id, account: key.account, session });
    },
    ended() {
      const stream = endpoint.streams.get(id);
      endpoint.remove(id);
      void stream?.session?.close();
    },
  };
}
