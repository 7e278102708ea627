import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  bearer,
  createInformers,
  createKubeClient,
  type KubeClient,
  PodKind,
  staticCredentials,
} from '@agents/kube'
import { type LocalNode, startLocalNode } from '@agents/local-node'
import { silentLogger } from '@agents/log'
import type { KubeletCertificates } from '../../../support/testbed/kubelet-certificates.ts'
import type { Server } from '../server.ts'

/** Flags with which kube-apiserver reaches kubelets, and a function that removes the files in them. */
export async function kubeletFlags({
  client,
}: KubeletCertificates): Promise<{ flags: string[]; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-kubelet-pki-'))
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, text, { mode: 0o600 })
    return path
  }
  return {
    flags: [
      `--kubelet-client-certificate=${await write('client.crt', client.certificate)}`,
      `--kubelet-client-key=${await write('client.key', client.key)}`,
      '--kubelet-preferred-address-types=InternalIP',
    ],
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A local node called `local` that runs only the pods which name it. */
export async function startNode(
  server: Server,
  certificates?: KubeletCertificates,
): Promise<{ node: LocalNode; stop(): Promise<void> }> {
  const stateDir = await realpath(await mkdtemp(join(tmpdir(), 'agents-kubectl-node-')))
  const client = createKubeClient({
    server: server.url,
    namespace: 'default',
    tls: { authority: () => Promise.resolve(server.caPem) },
    credentials: staticCredentials({ authorization: bearer(server.adminToken) }),
  })
  const informers = createInformers(client)
  const node = await startLocalNode({
    ...{ client, informers, stateDir, logger: silentLogger, nodeName: 'local', mounts: 'paths' },
    ...{ runJobs: false, bindPods: false, provideVolumes: false },
    baseEnvironment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    ...(certificates && {
      kubelet: {
        ...certificates.server,
        clientAuthority: certificates.authority,
        clientName: certificates.clientName,
      },
    }),
  })
  return {
    node,
    stop: async () => {
      await endPods(client)
      await node.stop()
      await informers.stop()
      client.close()
      await rm(stateDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** No process may outlive the stories, even if one of them failed. */
async function endPods(client: KubeClient): Promise<void> {
  const onNode = { fieldSelector: 'spec.nodeName=local' }
  for await (const pod of client.each(PodKind, onNode)) {
    await client.delete(PodKind, pod.metadata, { gracePeriodSeconds: 0 }).catch(() => undefined)
  }
}
