/** GET /livez: the process is there and its event loop turns. */
import { jsonReply, type Route } from '../route.js';

export const livezReply = () => jsonReply('{"status":"ok"}');

export const livez: Route = {
  method: 'GET',
  path: '/livez',
  endpoint: 'livez',
  access: 'health',
  handle: livezReply,
};
