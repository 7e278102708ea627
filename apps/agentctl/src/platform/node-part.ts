import { delimiter } from 'node:path'
import { type EngineName, startLocalNode } from '@agents/local-node'
import { engineEnvironment } from './container-runtime.ts'
import { writeLocalPrograms } from './local-programs.ts'
import type { PlatformPart } from './platform-part.ts'

/** Runs pods as processes of this machine, or with a container engine. */
export function nodePart(containerRuntime: EngineName | undefined): PlatformPart {
  return {
    name: 'local node',
    needsKinds: false,
    start: async ({ client, informers, log, folder, environment }) => {
      await writeLocalPrograms(folder.programs)
      return await startLocalNode({
        client,
        informers,
        logger: log.with({ part: 'local node' }),
        stateDir: folder.node,
        nodeName: 'local',
        baseEnvironment: podEnvironment(environment, folder.programs),
        ...(containerRuntime !== undefined && {
          containerRuntime,
          engineEnvironment: engineEnvironment(environment),
        }),
      })
    },
  }
}

/** Enough to find programs, and none of the secrets that a shell may hold: those belong in a Secret. */
const passedOn = ['HOME', 'LANG', 'LC_ALL', 'TZ', 'USER', 'LOGNAME', 'XDG_CACHE_HOME']

function podEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  programs: string,
): Record<string, string> {
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = environment
  const kept = passedOn.flatMap((name) => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(kept), PATH: [programs, PATH].join(delimiter) }
}
