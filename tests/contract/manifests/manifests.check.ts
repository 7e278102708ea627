import { testManifests } from './manifests.ts'

testManifests(5_000)
