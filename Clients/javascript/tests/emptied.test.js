// A replica that one tab empties for another user, while other tabs are open.

import assert from "node:assert/strict";
import { test } from "node:test";
import { IndexedDBStore } from "../moorage.js";
import { fails } from "./support/customers.js";
import { eventually, turns } from "./support/device.js";
import { FakeIndexedDB } from "./support/fake-indexeddb.js";
import { FakeChannels, FakeLocks } from "./support/fake-tabs.js";
import { bodies, newHub, running } from "./support/notes.js";

for (const [place, leads] of [["leads", 1], ["follows", 0]]) {
  test(`a tab of the former user that ${place} brings nothing back`, async () => {
    const hub = newHub();
    hub.heartbeat = 60_000;
    hub.put("notes", [1], [1, "Ada's diary"]);
    const fake = new FakeIndexedDB();
    const channels = new FakeChannels();
    const locks = new FakeLocks();
    const open = (token) => running(hub, {
      token: () => token, store: new IndexedDBStore("shared", fake.environment),
      environment: { locks, BroadcastChannel: channels.Channel },
    });
    const tabs = [await open("token-of-ada-here"), await open("token-of-ada-there")];
    tabs[leads].start();
    await eventually(() => tabs[leads].status.phase === "live");
    tabs[1 - leads].start();
    const [here, there] = tabs;
    await eventually(() => there.status.phase === "live");
    await here.stop();
    await here.deleteEverything();
    const asked = hub.requests.length;
    await eventually(() => there.status.phase === "ended");
    assert.equal(there.status.error.code, "emptied");
    assert.equal(await bodies(here), "");
    await fails(there.table("notes").insert({ id: 2, body: "by Ada, too late" }), "emptied");
    await fails(there.sync(), "emptied");
    await turns();
    assert.equal(hub.requests.length, asked);
    // The next user signs in.
    here.start();
    await eventually(() => here.status.phase === "live");
    assert.equal(hub.requests.at(-1).headers.Authorization, "Bearer token-of-ada-here");
    // The app there signs out, too, which takes nothing from the next user.
    await there.deleteEverything();
    assert.equal(await bodies(here), "Ada's diary");
    // It may go on, once it knows who its user is.
    there.start();
    await there.table("notes").insert({ id: 3, body: "goes up" });
    await eventually(() => hub.row("notes", [3]));
  });
}
