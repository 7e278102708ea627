import { join } from 'node:path'
import { env } from 'node:process'
import { inject } from 'vitest'
import { clearPlatform } from './clear-platform.ts'
import { type LocalPlatform, localCommands } from './local-platform.ts'
import { adminOf, type SharedPlatform } from './shared-platforms.ts'

/** What a file may do with a platform that it shares: it cannot stop it. */
export interface UsedPlatform
  extends Pick<LocalPlatform, 'stateDir' | 'kubeconfig' | 'agentctl' | 'start'> {
  readonly shared: SharedPlatform
}

/** The platform of this worker, with nothing but the sample. The settings are those of commands. */
export async function usePlatform(
  settings: Readonly<Record<string, string>> = {},
): Promise<UsedPlatform> {
  const platforms = inject('platforms')
  const { VITEST_POOL_ID: worker = '1' } = env
  const shared = platforms[(Number(worker) - 1) % platforms.length]
  if (shared === undefined) throw new Error('the globalSetup of the suite starts no platform')
  const { stateDir, initial } = shared
  const { admin } = adminOf(stateDir)
  await clearPlatform(admin, stateDir, initial)
  admin.close()
  const kubeconfig = join(stateDir, 'kubeconfig')
  return { shared, stateDir, kubeconfig, ...localCommands(stateDir, settings) }
}
