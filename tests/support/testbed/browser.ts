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
  const { options, axePath } = await chromiumOf(env)
  return { browser: await chromium.launch(options), axePath }
}

/** Where a Chromium is that several processes use, and which script of axe-core goes with it. */
export interface SharedBrowser {
  readonly endpoint: string
  readonly axePath: string
}

/** A real Chromium that others connect to. */
export async function startSharedBrowser(
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ shared: SharedBrowser; stop(): Promise<void> }> {
  const { options, axePath } = await chromiumOf(env)
  const server = await chromium.launchServer({ ...options, host: '127.0.0.1' })
  return { shared: { endpoint: server.wsEndpoint(), axePath }, stop: () => server.close() }
}

export async function connectBrowser({ endpoint, axePath }: SharedBrowser): Promise<TestBrowser> {
  return { browser: await chromium.connect(endpoint), axePath }
}

async function chromiumOf(env: NodeJS.ProcessEnv) {
  const modules = await ensurePackages('browser', packages, env)
  const module = pathToFileURL(join(modules, '@sparticuz/chromium/build/index.js'))
  const { default: packed } = (await import(module.href)) as {
    default: { executablePath(): Promise<string> }
  }
  const options = {
    executablePath: await packed.executablePath(),
    // Tests run as root, for whom Chromium has no sandbox.
    args: ['--no-sandbox', '--headless=shell', '--disable-gpu'],
  }
  return { options, axePath: join(modules, 'axe-core/axe.min.js') }
}
