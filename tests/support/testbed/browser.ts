import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { ensurePackages } from './npm-packages.ts'

const packages = { '@sparticuz/chromium': '153.0.0', 'axe-core': '4.14.0' } as const

export interface TestBrowser {
  readonly browser: Browser
  /** The script of axe-core, which pages are checked with. */
  readonly axePath: string
}

/** A real Chromium. */
export async function startBrowser(env: NodeJS.ProcessEnv = process.env): Promise<TestBrowser> {
  const modules = await ensurePackages('browser', packages, env)
  const module = pathToFileURL(join(modules, '@sparticuz/chromium/build/index.js'))
  const { default: packed } = (await import(module.href)) as {
    default: { executablePath(): Promise<string> }
  }
  const browser = await chromium.launch({
    executablePath: await packed.executablePath(),
    // Tests run as root, for whom Chromium has no sandbox.
    args: ['--no-sandbox', '--headless=shell', '--disable-gpu'],
  })
  return { browser, axePath: join(modules, 'axe-core/axe.min.js') }
}
