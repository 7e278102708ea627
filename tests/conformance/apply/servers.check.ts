import { startApiServer } from '@agents/apiserver'
import type { KubeObject } from '@agents/kube'
import { createLogger } from '@agents/log'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { realClusterAvailable, startRealCluster } from '../../support/testbed/real-cluster.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { dataOf, errorOf } from './mirror.ts'
import { configMapSteps } from './random-steps.ts'
import { type Step, stepRequest } from './step.ts'
import { scenarios } from './stories.ts'
import type { Subject } from './subject.ts'
import { served, subjects } from './subjects.ts'
import { widgetDefinition, widgets } from './widget.ts'

const availability = await realClusterAvailable()
if (!availability.available) {
  process.stderr.write(`\nSKIPPED, no real Kubernetes API server: ${availability.reason}\n\n`)
}

const plugins = ['ServiceAccount']

describe.skipIf(!availability.available)('the embedded server answers like the real one', () => {
  const servers: { client: ApiClient; stop(): Promise<void> }[] = []
  beforeAll(async () => {
    const real = await startRealCluster({ fsync: false, disableAdmissionPlugins: plugins })
    servers.push({ client: apiClient(real), stop: () => real.stop() })
    const embedded = await startApiServer({ logger: quiet, disabledAdmission: plugins })
    const client = apiClient({ ...embedded, caPem: embedded.caCertificate })
    servers.push({ client, stop: () => embedded.stop() })
    for (const server of servers) {
      await server.client.send({
        method: 'POST',
        path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        body: widgetDefinition,
      })
      await served(server.client, widgets.path)
    }
  })
  afterAll(async () => {
    for (const { client, stop } of servers) {
      client.close()
      await stop()
    }
  })

  /** Sends all steps to both servers and compares after each. */
  const playStep = async (
    subject: Subject,
    name: string,
    steps: readonly Step[],
  ): Promise<void> => {
    const live: (KubeObject | undefined)[] = [undefined, undefined]
    for (const [at, step] of steps.entries()) {
      const seen: unknown[] = []
      for (const [which, { client }] of servers.entries()) {
        const { code, body } = await client.send(stepRequest(step, subject, name, live[which]))
        if (code < 400) live[which] = body
        seen.push(
          code < 400 ? comparable(body) : errorOf(code, body.message ?? '', body.details?.causes),
        )
      }
      const scenario = `${name}, step ${at}: ${JSON.stringify(step)}\nbefore ${JSON.stringify(live[0])}`
      expect(seen[1], scenario).toEqual(seen[0])
    }
    for (const { client } of servers) {
      await client.send({ method: 'DELETE', path: `${subject.path}/${name}` })
    }
  }

  for (const [number, { because, kind, steps, isGarbage }] of scenarios.entries()) {
    if (isGarbage === true) continue
    test(because, () => playStep(subjects[kind], `story-${number}`, steps))
  }

  test('to random writes of config maps', async () => {
    const sequences = fc.sample(configMapSteps, { seed: 7, numRuns: 40 })
    for (const [index, sequence] of sequences.entries()) {
      await playStep(subjects.configMaps, `random-${index}`, sequence)
    }
  })
})

// Without order and recent times: entries are sorted by time, and a second may end between the two servers.
function comparable(body: KubeObject): unknown {
  return {
    data: dataOf(body),
    owners: new Set(
      body.metadata.managedFields?.map(({ time, ...entry }) => ({
        ...entry,
        time: time !== undefined && isRecent(time) ? 'recent' : time,
      })),
    ),
  }
}

function isRecent(time: string): boolean {
  return Math.abs(Date.now() - Date.parse(time)) < 3_600_000
}

const quiet = createLogger({ level: 'error', sink: process.stderr })
