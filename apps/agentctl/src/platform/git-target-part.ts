import { join } from 'node:path'
import { parseConfig } from '@agents/config'
import { startGitTarget } from '@agents/gittarget'
import { openTracing, tracingSettings } from '@agents/tracing'
import manifest from '../../package.json' with { type: 'json' }
import { applyMirror } from '../mirror/apply-mirror.ts'
import type { MirrorRepository } from '../mirror/mirror-repository.ts'
import type { PlatformPart } from './platform-part.ts'

/** The mirror into Git: of whatever GitTargets ask for, and of the platform itself where a repository is given. */
export function gitTargetPart(repository: MirrorRepository | undefined): PlatformPart {
  return {
    name: 'mirror',
    needsKinds: true,
    inBackground: true,
    start: async ({ client, log, folder, environment, onFailure }) => {
      const { PATH } = environment
      const partLog = log.with({ part: 'mirror' })
      const tracing = await openTracing(parseConfig(tracingSettings, environment), {
        service: 'agents-gittarget',
        version: manifest.version,
        instance: 'local',
        log: partLog,
      })
      const running = await startGitTarget({
        client,
        log: partLog,
        tracer: tracing.tracer,
        stateDir: join(folder.root, 'mirror'),
        allowFile: true,
        ...(PATH !== undefined && { path: PATH }),
      })
      running.ended.catch(onFailure)
      if (repository !== undefined) {
        await applyMirror(client, repository).catch((error: unknown) => {
          log.error('the platform is not mirrored', { part: 'mirror', error })
        })
      }
      return {
        stop: async () => {
          await running.stop()
          await tracing.close()
        },
      }
    },
  }
}
