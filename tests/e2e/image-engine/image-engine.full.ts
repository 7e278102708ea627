import { testImage } from './image-engine.ts'

await testImage({ engines: ['podman'], clis: ['codex', 'claude-code'] })
