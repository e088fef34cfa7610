/** The body of GET /mcp/sse: a stream of events, which lives until its client disconnects or the server closes. */
import type { Sink, StreamSession } from '../../../mcp/sse.js';
import type { EventBody } from '../../adapters/adapter.js';
import type { McpEndpoint } from '../../mcp-endpoint.js';

/** @param start makes the session. `address` is where its client posts messages, relative to the stream */
export function openStream(
  endpoint: McpEndpoint,
  key: string,
  start: (sink: Sink, address: string) => StreamSession,
): EventBody {
  let id: string | undefined;
  return {
    begin(sink) {
      id = endpoint.newId();
      // Relative, because a proxy may serve this server below a path.
      endpoint.streams.set(id, { key, session: start(sink, `messages?session=${id}`) });
    },
    ended() {
      if (id === undefined) return;
      const stream = endpoint.streams.get(id);
      endpoint.streams.delete(id);
      void stream?.session.close();
    },
  };
}
