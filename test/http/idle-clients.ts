/**
 * `node idle-clients.js PORT COUNT`: opens idle and incomplete connections, prints `open` when all are connected, and
 * keeps them until it is ended. A separate process, because each connection takes a descriptor on both sides.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number) as [number, number];
const BEGUN = [
  '',
  'GET /now HTTP/1.1\r\nHost: te',
  'POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nab',
];
const sockets: Socket[] = [];
let closed = 0;
for (let n = 0; n < count; n++) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.on('close', () => closed++);
  sockets.push(socket);
  // The accept queue has a length of some hundreds.
  if (n % 100 === 99) await once(socket, 'connect');
}
await Promise.all(sockets.map((socket) => (socket.connecting ? once(socket, 'connect') : undefined)));
for (const [n, socket] of sockets.entries()) socket.write(BEGUN[n % BEGUN.length]!);
console.log(`open ${sockets.length - closed}`);
setInterval(() => {}, 1_000);
