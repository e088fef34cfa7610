/** GET /livez: the process runs and its event loop responds. */
import { jsonReply, type Route } from '../../route.js';
import { livezOperation } from './openapi.js';

export const livezReply = () => jsonReply('{"status":"ok"}');

export const livez: Route = {
  method: 'GET',
  path: '/livez',
  endpoint: 'livez',
  access: 'health',
  operation: livezOperation,
  handle: livezReply,
};
