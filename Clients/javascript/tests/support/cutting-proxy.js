// A proxy in front of a hub that cuts connections at random byte positions.

import { connect, createServer } from "node:net";

/**
 * @param {() => number} port That of the hub.
 * @param {(limit: number) => number} next Random numbers.
 */
export async function startProxy(port, next) {
  const proxy = { isCalm: false, cuts: 0, url: "", close: () => {} };
  const sockets = new Set();
  const server = createServer((client) => {
    const hub = connect(port(), "127.0.0.1");
    const end = () => {
      client.destroy();
      hub.destroy();
    };
    for (const socket of [client, hub]) {
      sockets.add(socket);
      socket.on("error", end);
      socket.on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
    // Each connection is cut at some time, on the way up or on the way down. It may have several
    // exchanges: most are short, some are long.
    const isUp = next(3) === 0;
    let left = next([300, 2_000, 20_000, 60_000][next(4)]);
    const pass = (from, to, counts) => {
      from.on("data", (chunk) => {
        if (!counts || proxy.isCalm || chunk.length <= left) {
          if (counts) left -= chunk.length;
          to.write(chunk);
          return;
        }
        const part = chunk.subarray(0, left);
        left = 0;
        proxy.cuts += 1;
        to.write(part, () => setImmediate(end));
      });
    };
    pass(client, hub, isUp);
    pass(hub, client, !isUp);
  });
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
  proxy.url = `http://127.0.0.1:${server.address().port}`;
  proxy.close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return proxy;
}
