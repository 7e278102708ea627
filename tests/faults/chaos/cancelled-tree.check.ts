import { setTimeout as delay } from 'node:timers/promises'
import { isFinished } from '@agents/status'
import { expect, onTestFinished, test } from 'vitest'
import { startRunPlatform, unlimited } from '../../support/run-platform/run-platform.ts'
import { isFull } from '../../support/tier.ts'
import { servers } from './servers.ts'
import {
  expectNoWorkload,
  isProcessRunning,
  orchestrationRuns,
  runsOfTree,
  startSleepingTree,
  treeKey,
} from './sleeping-tree.ts'

test.each(servers)(
  'a cancelled run of 3 levels with 10 children each stops and leaves nothing: %s server',
  async (server) => {
    const platform = await startRunPlatform(server)
    onTestFinished(() => platform.stop())
    const { client } = platform
    await platform.startNode()
    await platform.startControllers({ ...unlimited })
    const processes = await startSleepingTree(client, [9, 9, 10])

    const begun = performance.now()
    await client.patch(orchestrationRuns, treeKey, {
      type: 'merge',
      body: { spec: { cancel: true } },
    })
    while (!isFinished((await client.get(orchestrationRuns, treeKey)).status?.conditions)) {
      await delay(20)
    }
    if (isFull) expect(performance.now() - begun).toBeLessThan(10_000)
    expect(processes.filter(isProcessRunning)).toEqual([])
    const phases = (await runsOfTree(client)).map(({ status }) => status?.phase)
    expect(phases).toEqual(Array.from({ length: 31 }, () => 'Cancelled'))
    await expectNoWorkload(client)
  },
)
