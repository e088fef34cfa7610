/** A node in front of another, which loses, refuses or delays some requests. */
import { createServer, type IncomingHttpHeaders, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  method: string;
  path: string;
  body: string;
}

/**
 * What happens to a request: `cut` loses it, `lose` does it and loses the answer; an answer is given in its stead; a promise
 * delays it. Undefined: it is passed on.
 */
export type Fault = 'cut' | 'lose' | { status: number; body: unknown } | undefined;

export interface FaultyNode {
  url: string;
  /** Chooses what happens to the requests from now on. */
  fault(choose: (asked: Asked) => Fault | Promise<Fault>): void;
  /** Number of requests that the node behind it has answered. */
  passedOn(): number;
  close(): void;
}

/** @param keepsHost passes on the name of the host that was asked, which signatures of S3 contain */
export async function proxyOf(url: string, keepsHost = false): Promise<FaultyNode> {
  let count = 0;
  let chosen: (asked: Asked) => Fault | Promise<Fault> = () => undefined;
  const server = createServer(async (incoming, outgoing) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const { method = 'GET', url: path = '/' } = incoming;
    const { host, ...others } = incoming.headers;
    const headers = keepsHost ? { ...others, host } : others;
    const fault = await chosen({ method, path, body: body.toString() });
    if (fault === 'cut') return void incoming.socket.destroy();
    if (typeof fault === 'object') {
      outgoing.writeHead(fault.status, { 'content-type': 'application/json' });
      return void outgoing.end(JSON.stringify(fault.body));
    }
    const answer = await passedOn(url, method, path, headers, body);
    count += 1;
    if (fault === 'lose') return void incoming.socket.destroy();
    outgoing.writeHead(answer.status, { 'content-type': answer.type });
    outgoing.end(answer.body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: (choose) => {
      chosen = choose;
    },
    passedOn: () => count,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function passedOn(
  url: string,
  method: string,
  path: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Promise<{ status: number; type: string; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const request = send(url + path, { method, headers }, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part as Buffer);
      const type = response.headers['content-type'] ?? 'application/json';
      resolve({ status: response.statusCode ?? 500, type, body: Buffer.concat(parts) });
    });
    request.on('error', reject);
    request.end(body);
  });
}
