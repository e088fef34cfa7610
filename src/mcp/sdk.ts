/**
 * The protocol's library. Only this file imports it, so that `npm pack` can replace this file by a bundle of the parts
 * that are used: the library takes 8 MB, these parts half of one.
 */
export {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type JSONRPCMessage,
  type MessageExtraInfo,
  ProtocolError,
  parseJSONRPCMessage,
  Server,
  type ServerContext,
  type Transport,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
