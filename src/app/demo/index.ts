import { admissionScene } from './admission-scene.ts';
import { celScene } from './cel-scene.ts';
import { changeScene } from './change-scene.ts';
import { cleanupScene } from './cleanup-scene.ts';
import { createScene } from './create-scene.ts';
import { deploymentScene } from './deployment-scene.ts';
import { generateScene } from './generate-scene.ts';
import { insightsScene } from './insights-scene.ts';
import { mirrorScene } from './mirror-scene.ts';
import { policyScene } from './policy-scene.ts';
import { reportScene } from './report-scene.ts';
import type { Scene, SceneContext } from './scene.ts';

/** In display order; every feature adds its own. */
const scenes: readonly Scene[] = [
  deploymentScene,
  policyScene,
  admissionScene,
  celScene,
  reportScene,
  generateScene,
  changeScene,
  cleanupScene,
  createScene,
  insightsScene,
  mirrorScene,
];

/** Runs the guided demo on a running cluster. */
export async function playDemo(context: SceneContext): Promise<void> {
  const shown = scenes.filter(({ needs = [] }) => needs.every((feature) => context.features.includes(feature)));
  for (const [i, scene] of shown.entries()) {
    context.say('');
    context.say(`${i + 1}. ${scene.title}`);
    const shownAt = await scene.play({ ...context, say: (line) => context.say(`   ${line}`) });
    if (context.page !== undefined && shownAt !== undefined) context.say(`   on the page: ${context.page}${shownAt}`);
  }
  context.say('');
  context.say('Try it:');
  context.say(`   ${context.program} kubectl get pods -o wide`);
}

export type { Scene, SceneContext } from './scene.ts';
