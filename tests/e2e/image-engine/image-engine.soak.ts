import { engineNames } from '../../support/testbed/container-engine.ts'
import { imageClis } from './agent-images.ts'
import { testImage } from './image-engine.ts'

await testImage({ engines: engineNames, clis: imageClis })
