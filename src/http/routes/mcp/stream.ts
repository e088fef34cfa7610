/** The body of GET /mcp/sse: a stream of events, which lives until its client disconnects or the server closes. */
import type { EventBody } from '../../adapters/adapter.js';
import type { McpEndpoint } from '../../mcp-endpoint.js';

/** @throws PriorartError `rate_limited` */
export function openStream(endpoint: McpEndpoint, key: string): EventBody {
  const id = endpoint.reserve(key);
  return {
    begin(sink) {
      // Relative, because a proxy may serve this server below a path.
      endpoint.streams.set(id, { key, session: endpoint.stream(sink, `messages?session=${id}`) });
    },
    ended() {
      const stream = endpoint.streams.get(id);
      endpoint.streams.delete(id);
      void stream?.session?.close();
    },
  };
}
