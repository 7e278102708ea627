import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createKubeClient, type KubeClient } from '@agents/kube'
import { connectionTo } from '../testbed/server.ts'
import { objectsIn, untilArchived } from './clear-platform.ts'
import { type LocalPlatform, startPlatformIn } from './local-platform.ts'

/** A platform that the files of a suite use one after the other. */
export interface SharedPlatform {
  readonly stateDir: string
  readonly pid: number
  /** What `up` has printed. */
  readonly stdout: string
  readonly stderr: string
  /** The uids of the objects that it has at its start. */
  readonly initial: readonly string[]
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly platforms: readonly SharedPlatform[]
  }
}

/** For the `globalSetup` of a suite: a platform for each of its workers. */
export async function startSharedPlatforms(
  count: number,
  settings: Readonly<Record<string, string>>,
  ...flags: string[]
): Promise<{ platforms: readonly SharedPlatform[]; stop(): Promise<void> }> {
  const starting = Array.from({ length: count }, () => startPlatformIn(settings, ...flags))
  const started = (await Promise.allSettled(starting)).flatMap((each) =>
    each.status === 'fulfilled' ? [each.value] : [],
  )
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((platform) => platform.remove()))
  }
  try {
    await Promise.all(starting)
    return { platforms: await Promise.all(started.map(sharedPlatform)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function sharedPlatform({ stateDir, up }: LocalPlatform): Promise<SharedPlatform> {
  const { child, stdout, stderr } = up()
  await untilArchived(stateDir)
  const { admin } = adminOf(stateDir)
  const initial = (await objectsIn(admin)).map(({ uid }) => uid)
  admin.close()
  return { stateDir, pid: child.pid ?? 0, stdout: stdout(), stderr: stderr(), initial }
}

export function adminOf(stateDir: string): { admin: KubeClient; token: string } {
  const config = JSON.parse(readFileSync(join(stateDir, 'kubeconfig.json'), 'utf8'))
  const { server, 'certificate-authority-data': ca } = config.clusters[0].cluster
  const { token } = config.users[0].user
  const caPem = Buffer.from(ca, 'base64').toString('utf8')
  return { admin: createKubeClient(connectionTo(server, caPem, token)), token }
}
