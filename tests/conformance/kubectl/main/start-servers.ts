import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiServerOptions, startApiServer } from '@agents/apiserver'
import { type LocalNode, latePodStreams } from '@agents/local-node'
import { silentLogger } from '@agents/log'
import type { TestProject } from 'vitest/node'
import { startEmbeddedServer } from '../../../support/testbed/embedded-server.ts'
import {
  type KubeletCertificates,
  kubeletCertificates,
} from '../../../support/testbed/kubelet-certificates.ts'
import { startRealCluster } from '../../../support/testbed/real-cluster.ts'
import { recordedServers } from '../../../support/testbed/recorded-servers.ts'
import { type PlayedKubelet, playKubelet } from '../played-kubelet.ts'
import type { Server, Stage } from '../server.ts'
import { tokens } from '../tokens.ts'
import { kubeletFlags, startNode } from './start-nodes.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly stage: Stage
  }
}

/** The controllers of the embedded server; the real one must not run more, or the outputs would differ. */
const controllers = [
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'root-ca-certificate-publisher-controller',
  'ttl-after-finished-controller',
  'clusterrole-aggregation-controller',
]

export async function setup(project: TestProject): Promise<() => Promise<void>> {
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
  const certificates = kubeletCertificates()
  const real = await startReal(certificates, stops)
  const embedded = await startEmbeddedServer({ tokens })
  stops.push(() => embedded.stop())

  const certDir = await mkdtemp(join(tmpdir(), 'agents-kubectl-pki-'))
  stops.push(() => rm(certDir, { recursive: true, force: true }))
  const played: { kubelet?: PlayedKubelet } = {}
  let ofEmbedded: LocalNode | undefined
  const withLogs = await startApiServer({
    logger: silentLogger,
    certDir,
    staticTokens: new Map(
      tokens.map(({ token, user, groups }) => [
        token,
        { name: user, groups: [...(groups ?? []), 'system:authenticated'] },
      ]),
    ),
    podStreams: latePodStreams(() => ofEmbedded?.streams),
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
  const embeddedWithLogs = serverOf({ ...withLogs, caPem: withLogs.caCertificate })
  const embeddedNode = await startNode(embeddedWithLogs)
  ofEmbedded = embeddedNode.node
  stops.push(() => embeddedNode.stop())
  if (real !== undefined) {
    const realNode = await startNode(real, certificates)
    stops.push(() => realNode.stop())
  }
  return {
    embedded: serverOf(embedded),
    embeddedWithLogs,
    ...(real && { real }),
    pair,
    kubeletPort: kubelet.port,
  }
}

/** Full compares both servers with the recorded transcripts, the gate the embedded one. */
async function startReal(
  certificates: KubeletCertificates,
  stops: (() => Promise<void>)[],
): Promise<Server | undefined> {
  if (!(await recordedServers()).includes('real')) return undefined
  const kubeletAccess = await kubeletFlags(certificates)
  stops.push(() => kubeletAccess.remove())
  const real = await startRealCluster({
    apiServerFlags: kubeletAccess.flags,
    controllerManager: true,
    controllerManagerFlags: [`--controllers=${controllers.join(',')}`],
    tokens,
    fsync: false,
  })
  stops.push(() => real.stop())
  return serverOf(real)
}

/** As the real API server calls a kubelet, whose certificate it cannot verify either. */
async function fetchLog(
  kubelet: PlayedKubelet | undefined,
  path: string,
  follow: boolean,
  signal: AbortSignal,
): Promise<LogStream> {
  const url = `https://127.0.0.1:${kubelet?.port}/containerLogs/${path}?follow=${follow}`
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { rejectUnauthorized: false, signal }, resolve)
    outgoing.once('error', reject)
    outgoing.end()
  })
}

type LogStream = Awaited<ReturnType<NonNullable<ApiServerOptions['podLogs']>>>

function serverOf({ url, caPem, adminToken }: Server): Server {
  return { url, caPem, adminToken }
}
