// Web Locks and broadcast channels of one browser, in memory.

export class FakeLocks {
  #queues = new Map();

  async request(name, { signal, ifAvailable }, work) {
    const queue = this.#queues.get(name) ?? [];
    this.#queues.set(name, queue);
    if (ifAvailable && queue.length > 0) return work(null);
    signal?.throwIfAborted();
    const place = {};
    const turn = new Promise((resolve, reject) => {
      place.begin = resolve;
      signal?.addEventListener("abort", () => {
        if (queue[0] === place) return;
        queue.splice(queue.indexOf(place), 1);
        reject(signal.reason);
      });
    });
    queue.push(place);
    if (queue[0] === place) place.begin();
    await turn;
    try {
      return await work({ name });
    } finally {
      queue.shift();
      queue[0]?.begin();
    }
  }
}

export class FakeChannels {
  constructor() {
    const members = new Set();
    this.Channel = class {
      constructor() {
        this.onmessage = null;
        members.add(this);
      }

      postMessage(message) {
        for (const other of members) {
          if (other === this) continue;
          const data = structuredClone(message);
          setImmediate(() => { if (members.has(other)) other.onmessage?.({ data }); });
        }
      }

      close() { members.delete(this); }
    };
  }
}
