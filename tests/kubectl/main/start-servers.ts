import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiServerOptions, startApiServer } from '@agents/apiserver'
import { createLogger } from '@agents/log'
import type { TestProject } from 'vitest/node'
import { startEmbeddedServer } from '../../testbed/embedded-server.ts'
import { realClusterAvailable, startRealCluster } from '../../testbed/real-cluster.ts'
import { type PlayedKubelet, playKubelet } from '../played-kubelet.ts'
import type { Server, Stage } from '../server.ts'
import { tokens } from '../tokens.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly stage: Stage | undefined
  }
}

/** What the embedded server does behind the API; the real one must do no more, or they cannot say the same. */
const controllers = [
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
  'ttl-after-finished-controller',
  'clusterrole-aggregation-controller',
]

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const availability = await realClusterAvailable()
  if (!availability.available) {
    const line = '='.repeat(80)
    process.stderr.write(
      `\n${line}\nSKIPPED: kubectl is compared with the real kube-apiserver.\n${availability.reason}\n${line}\n\n`,
    )
    project.provide('stage', undefined)
    return undefined
  }
  const stops: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const one of stops.reverse()) await one()
  }
  try {
    project.provide('stage', await startAll(stops))
    return stop
  } catch (error) {
    await stop()
    throw error
  }
}

async function startAll(stops: (() => Promise<void>)[]): Promise<Stage> {
  const real = await startRealCluster({
    controllerManager: true,
    controllerManagerFlags: [`--controllers=${controllers.join(',')}`],
    tokens,
    fsync: false,
  })
  stops.push(() => real.stop())
  const embedded = await startEmbeddedServer({ tokens })
  stops.push(() => embedded.stop())

  const certDir = await mkdtemp(join(tmpdir(), 'agents-kubectl-pki-'))
  stops.push(() => rm(certDir, { recursive: true, force: true }))
  const played: { kubelet?: PlayedKubelet } = {}
  const withLogs = await startApiServer({
    logger: createLogger({ sink: { write: () => undefined } }),
    certDir,
    podLogs: ({ metadata }, { container, follow }, signal) =>
      fetchLog(
        played.kubelet,
        `${metadata.namespace}/${metadata.name}/${container}`,
        follow,
        signal,
      ),
  })
  stops.push(() => withLogs.stop())
  const [certificate, key] = await Promise.all(
    ['apiserver.crt', 'apiserver.key'].map((name) => readFile(join(certDir, name), 'utf8')),
  )
  const pair = { certificate: certificate ?? '', key: key ?? '' }
  const kubelet = await playKubelet(pair)
  played.kubelet = kubelet
  stops.push(() => kubelet.stop())
  return {
    embedded: serverOf(embedded),
    embeddedWithLogs: serverOf({ ...withLogs, caPem: withLogs.caCertificate }),
    real: serverOf(real),
    pair,
    kubeletPort: kubelet.port,
  }
}

/** As the real API server asks a kubelet, whose certificate it cannot check either. */
async function fetchLog(
  kubelet: PlayedKubelet | undefined,
  path: string,
  follow: boolean,
  signal: AbortSignal,
): Promise<LogStream> {
  const url = `https://127.0.0.1:${kubelet?.port}/containerLogs/${path}?follow=${follow}`
  return new Promise((resolve, reject) => {
    const asked = request(url, { rejectUnauthorized: false, signal }, resolve)
    asked.once('error', reject)
    asked.end()
  })
}

type LogStream = Awaited<ReturnType<NonNullable<ApiServerOptions['podLogs']>>>

const serverOf = ({ url, caPem, adminToken }: Server): Server => ({ url, caPem, adminToken })
