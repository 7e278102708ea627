import { join } from 'node:path'
import { parseConfig } from '@agents/config'
import { startGitTarget } from '@agents/gittarget'
import { embedService } from '@agents/process'
import { tracingSettings } from '@agents/tracing'
import manifest from '../../package.json' with { type: 'json' }
import type { PlatformPart } from './platform-part.ts'

/** The mirror into Git of whatever GitTargets ask for. */
export function gitTargetPart(): PlatformPart {
  return {
    name: 'mirror',
    needsKinds: true,
    inBackground: true,
    start: async ({ client, log, folder, environment, userOf, onFailure }) => {
      const { PATH } = environment
      const partLog = log.with({ part: 'mirror' })
      const settings = { tracing: tracingSettings }
      return await embedService({
        service: 'agents-gittarget',
        version: manifest.version,
        settings,
        config: parseConfig(settings, environment),
        log: partLog,
        start: (tracer) =>
          startGitTarget({
            client,
            log: partLog,
            tracer,
            stateDir: join(folder.root, 'mirror'),
            allowFile: true,
            userOf: ({ resourceVersion }) =>
              resourceVersion === undefined ? undefined : userOf(resourceVersion),
            ...(PATH !== undefined && { path: PATH }),
          }),
        onFailure,
      })
    },
  }
}
