import process from 'node:process'
import { parseArgs } from 'node:util'
import { demoScript } from './demo-script.ts'
import { startModelServer } from './model-server.ts'

const { values } = parseArgs({ options: { port: { type: 'string', default: '8090' } } })
const { url } = await startModelServer(demoScript, Number(values.port))
process.stdout.write(
  `A demo model listens on ${url}; it adds the file DEMO.md, whatever it is asked. Ctrl-C stops it.\n`,
)
