import { inject } from 'vitest'
import { usePlatform } from '../../support/agentctl/use-shared-platform.ts'
import { connectBrowser } from '../../support/testbed/browser.ts'
import { addressIn, consoleBed } from './console-bed.ts'

export type SharedBed = Awaited<ReturnType<typeof useConsoleBed>>

/** The platform and the Chromium of the suite, with nothing but the sample. */
export async function useConsoleBed() {
  const { browser: shared, record } = inject('consoleStage')
  const [testBrowser, platform] = await Promise.all([connectBrowser(shared), usePlatform()])
  const bed = consoleBed(platform, addressIn(platform.shared.stderr), testBrowser)
  const stop = async (): Promise<void> => {
    await bed.stop()
    await testBrowser.browser.close()
  }
  return { ...bed, record, stop }
}

/** The Chromium of the suite, for a console of a test's own. */
export function useBrowser() {
  return connectBrowser(inject('consoleStage').browser)
}
