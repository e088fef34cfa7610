import type { Texts } from './en.js';

/** 中文 */
export const zh: Texts = {
  code: 'zh',
  name: '中文',
  frame: {
    title: 'priorart',
    skip: '跳到正文',
    search: '检索',
    dashboard: '控制台',
    reference: 'API 文档',
    language: '语言',
    theme: '配色',
    themes: { system: '跟随系统', light: '浅色', dark: '深色' },
    notFound: '没有此页面。',
    home: '返回检索',
  },
};
