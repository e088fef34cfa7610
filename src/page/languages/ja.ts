import type { Texts } from './en.js';

/** 日本語 */
export const ja: Texts = {
  code: 'ja',
  name: '日本語',
  frame: {
    title: 'priorart',
    skip: '本文へ移動',
    search: '検索',
    dashboard: 'ダッシュボード',
    reference: 'API リファレンス',
    language: '言語',
    theme: '配色',
    themes: { system: 'システムに合わせる', light: 'ライト', dark: 'ダーク' },
    notFound: 'そのページはありません。',
    home: '検索へ移動',
  },
};
