// Devices in processes of their own under fire. Devices and servers end by `kill -9`, connections
// are cut, the central database is put back from a backup. A native replica syncs beside them.
//
//   MOORAGE_BINARY=… FIRES=50 SEED=1 node --test tests/fire.test.js

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startProxy } from "./support/cutting-proxy.js";
import { CONFIGURATION, SCHEMA } from "./support/edits.js";
import { FireWorld } from "./support/fire.js";
import { skip, startHub } from "./support/hub-process.js";
import { random } from "./support/random.js";

const count = Number(process.env.FIRES ?? 10);
const firstSeed = Number(process.env.SEED ?? 1);

describe("fire", { skip, timeout: 7_200_000 }, () => {
  let hub;
  let proxy;

  before(async () => {
    hub = await startHub(SCHEMA, CONFIGURATION);
    proxy = await startProxy(() => hub.port, random(firstSeed));
  });

  after(async () => {
    proxy?.close();
    await hub?.close();
  });

  test("three devices in JavaScript and a native one lose nothing", async () => {
    const sum = {};
    for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
      // In one of four histories, the central database is put back.
      const world = new FireWorld({ hub, proxy, seed, restores: seed % 4 === 0 });
      const figures = await world.run();
      for (const [name, value] of Object.entries(figures)) sum[name] = (sum[name] ?? 0) + value;
    }
    const figures = Object.entries(sum).map(([name, value]) => `${value} ${name}`).join(", ");
    console.log(`fire: ${count} histories, ${figures}; ${proxy.cuts} cuts`);
    assert.ok(count === 0 || sum.writes > 0);
  });
});
