import { join } from 'node:path'
import { startApiServer } from '@agents/apiserver'
import type { KubeObject, ManagedFieldsEntry } from '@agents/kube'
import { createLogger } from '@agents/log'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { digestOf } from '../../support/testbed/digest.ts'
import { startRealCluster } from '../../support/testbed/real-cluster.ts'
import { recordedServers } from '../../support/testbed/recorded-servers.ts'
import { openRecording } from '../../support/testbed/recording.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { dataOf, errorOf } from './mirror.ts'
import { configMapSteps } from './random-steps.ts'
import { type Step, stepRequest } from './step.ts'
import { scenarios } from './stories.ts'
import type { Subject } from './subject.ts'
import { served, subjects } from './subjects.ts'
import { widgetDefinition, widgets } from './widget.ts'

const plugins = ['ServiceAccount']
const quiet = createLogger({ level: 'error', sink: process.stderr })

const starters = {
  embedded: async () => {
    const server = await startApiServer({ logger: quiet, disabledAdmission: plugins })
    return { ...server, caPem: server.caCertificate, stop: () => server.stop() }
  },
  real: () => startRealCluster({ fsync: false, disableAdmissionPlugins: plugins }),
}
const recording = openRecording(join(import.meta.dirname, 'generated/answers.json'))

describe.each(await recordedServers())('the %s server answers like the real one', (which) => {
  let client: ApiClient
  let stop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    const server = await starters[which]()
    stop = () => server.stop()
    client = apiClient(server)
    await client.send({
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: widgetDefinition,
    })
    await served(client, widgets.path)
  })
  afterAll(async () => {
    client?.close()
    await stop?.()
    recording.save()
  })

  /** Sends all steps, and compares the answers with the recorded ones. */
  const playStep = async (
    subject: Subject,
    name: string,
    steps: readonly Step[],
    recorded: (answer: unknown) => unknown = (answer) => answer,
  ): Promise<void> => {
    let live: KubeObject | undefined
    for (const [at, step] of steps.entries()) {
      const { code, body } = await client.send(stepRequest(step, subject, name, live))
      const isAccepted = code < 400
      if (isAccepted) live = body
      const seen = isAccepted
        ? comparable(body)
        : errorOf(code, body.message ?? '', body.details?.causes)
      recording.expectSame(`${name}, step ${at}`, recorded(seen), { step, seen })
    }
    await client.send({ method: 'DELETE', path: `${subject.path}/${name}` })
  }

  for (const [number, { because, kind, steps, isGarbage }] of scenarios.entries()) {
    if (isGarbage === true) continue
    test(because, () => playStep(subjects[kind], `story-${number}`, steps))
  }

  test('to random writes of config maps', async () => {
    const sequences = fc.sample(configMapSteps, { seed: 7, numRuns: 40 })
    for (const [index, sequence] of sequences.entries()) {
      await playStep(subjects.configMaps, `random-${index}`, sequence, digestOf)
    }
  })
})

// Without order and recent times: entries are sorted by time, and a second may end between the two servers.
function comparable(body: KubeObject): unknown {
  return {
    data: dataOf(body),
    owners: (body.metadata.managedFields ?? [])
      .map(({ time, ...entry }) => ({
        ...entry,
        time: time !== undefined && isRecent(time) ? 'recent' : time,
      }))
      .toSorted((one, other) => (identityOf(one) < identityOf(other) ? -1 : 1)),
  }
}

function identityOf({
  manager,
  operation,
  apiVersion,
  subresource,
}: Omit<ManagedFieldsEntry, 'time'>): string {
  return [manager, operation, apiVersion, subresource].join(' ')
}

function isRecent(time: string): boolean {
  return Math.abs(Date.now() - Date.parse(time)) < 3_600_000
}
