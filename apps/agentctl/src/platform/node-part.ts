import { delimiter } from 'node:path'
import { ClusterEventRecorder, type EventRecorder } from '@agents/controller'
import { type EngineName, startLocalNode } from '@agents/local-node'
import { engineEnvironment } from './container-runtime.ts'
import { programNeeds, writeLocalPrograms } from './local-programs.ts'
import type { PlatformPart } from './platform-part.ts'

/** Runs pods as processes of this machine, or with a container engine. */
export function nodePart(containerRuntime: EngineName | undefined): PlatformPart {
  return {
    name: 'local node',
    needsKinds: false,
    start: async ({ client, informers, log, folder, environment }) => {
      await writeLocalPrograms(folder.programs)
      const logger = log.with({ part: 'local node' })
      const source = { component: 'local-node', instance: nodeName }
      const events = new ClusterEventRecorder({ client, source, log: logger })
      const node = await startLocalNode({
        client,
        informers,
        logger,
        events: warningsOnly(events),
        stateDir: folder.node,
        nodeName,
        baseEnvironment: podEnvironment(environment, folder.programs),
        programs: { folder: folder.programs, needs: programNeeds() },
        ...(containerRuntime !== undefined && {
          containerRuntime,
          engineEnvironment: engineEnvironment(environment),
        }),
      })
      return {
        podStreams: node.streams,
        stop: async () => {
          await node.stop()
          await events.stop()
        },
      }
    },
  }
}

const nodeName = 'local'

/** Drops normal events: the run reports success itself, and each event costs a write in this process. */
function warningsOnly(events: EventRecorder): EventRecorder {
  return {
    record: (object, note) => {
      if (note.type === 'Warning') events.record(object, note)
    },
  }
}

/** Variables that pods inherit: enough to find programs, and none that may contain secrets. */
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
