import { expect } from 'chai';
import { userAgentFields } from '../../../../lib/shards/ingest/enrich/user-agent.ts';

/** Browser, version, system, its version, type of device, platform (`-`: the agent does not tell); below them, the agent. */
const AGENTS = `
Safari | 26.1 | iOS | 26.1 | mobile | web
Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1
Safari | 26.0.1 | iOS | 26.0.1 | tablet | web
Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0.1 Mobile/15E148 Safari/604.1
Safari | 26.1 | macOS | 10.15.7 | desktop | web
Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15
Microsoft Edge | 142.0.0.0 | Windows | 10 | desktop | web
Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0
Firefox | 145.0 | Windows | 10 | desktop | web
Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0
Samsung Internet for Android | 29.0 | Android | 10 | mobile | web
Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36
Chrome | 132.0.0.0 | HarmonyOS | 5.1 | tablet | web
Mozilla/5.0 (Tablet; OpenHarmony 5.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/132.0.0.0 Safari/537.36 ArkWeb/6.0.0.44
Chrome | 132.0.0.0 | HarmonyOS | 5.1 | desktop | web
Mozilla/5.0 (PC; OpenHarmony 5.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/132.0.0.0 Safari/537.36 ArkWeb/6.0.0.44
Safari | - | - | - | tv | web
Mozilla/5.0 (Nintendo Switch 2; WebApplet) AppleWebKit/617.1 (KHTML, like Gecko) NF/6.1.2.26.1 NintendoBrowser/6.0.0.34000
Chrome | 131.0.0.0 | Windows | 10 | desktop | web
Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36
Chrome | 131.0.0.0 | Chrome OS | - | desktop | web
Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36
Firefox | 128.0 | FreeBSD | - | desktop | web
Mozilla/5.0 (X11; FreeBSD amd64; rv:128.0) Gecko/20100101 Firefox/128.0
Firefox | 132.0 | OpenBSD | - | desktop | web
Mozilla/5.0 (X11; OpenBSD amd64; rv:132.0) Gecko/20100101 Firefox/132.0
Firefox | 128.0 | NetBSD | - | desktop | web
Mozilla/5.0 (X11; NetBSD amd64; rv:128.0) Gecko/20100101 Firefox/128.0
Chrome | 130.0.0.0 | FreeBSD | - | desktop | web
Mozilla/5.0 (X11; FreeBSD amd64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36
Safari | 18.0 | Haiku | - | desktop | web
Mozilla/5.0 (X11; Haiku x86_64) AppleWebKit/621.1 (KHTML, like Gecko) WebPositive/1.3 Version/18.0 Safari/621.1
- | - | Android | 14 | mobile | android
Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UD1A.231105.004)
- | - | Android | 13 | tablet | android
Dalvik/2.1.0 (Linux; U; Android 13; SM-X710 Build/TP1A.220624.014)
- | - | Android | 12 | tablet | android
Dalvik/2.1.0 (Linux; U; Android 12; Lenovo Tablet M10 Build/SP1A)
- | - | Android | 9 | tv | android
Dalvik/2.1.0 (Linux; U; Android 9; AFTMM Build/PS7699)
- | - | Android | 11 | mobile | android
Dalvik/2.1.0 (Linux; U; Android 11)
- | - | - | - | mobile | android
okhttp/4.12.0
- | - | - | - | mobile | android
okhttp/5.0.0-alpha.14
- | - | - | - | mobile | ios
Shop/12 CFNetwork/1568.200.51 Darwin/24.1.0
- | - | - | - | desktop | -
MyApp/1 CFNetwork/1410.0.3 Darwin/22.6.0 (x86_64)
MyApp | 5.2 | iOS | - | tablet | -
MyApp/5.2 (iPad; iOS 17.5; Scale/2.00)
- | - | - | - | - | -
ktor-client
- | - | - | - | mobile | -
ReactNative/0.76
- | - | - | - | - | -
axios/1.7.7
UnityPlayer | 2022.3.10f1 | - | - | - | -
UnityPlayer/2022.3.10f1 (UnityWebRequest/1.0, libcurl/8.1.1-DEV)
UC Browser | 13.8.2.1324 | Android | 13 | mobile | web
Mozilla/5.0 (Linux; U; Android 13; en-US; RMX3085 Build/TP1A.220905.001) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/100.0.4896.58 UCBrowser/13.8.2.1324 Mobile Safari/537.36
Safari | 17.5 | iOS | 17.5 | mobile | web
Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1
Chrome | 131.0.6778.73 | iOS | 18.1 | mobile | web
Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1
Firefox | 132.0 | iOS | 17.5.1 | mobile | web
Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/132.0 Mobile/15E148 Safari/605.1.15
Microsoft Edge | 130.0.2849.80 | iOS | 17.7 | mobile | web
Mozilla/5.0 (iPhone; CPU iPhone OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 EdgiOS/130.0.2849.80 Mobile/15E148 Safari/605.1.15
Safari | 17.6 | iOS | 17.6 | tablet | web
Mozilla/5.0 (iPad; CPU OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1
Safari | 18.1 | macOS | 10.15.7 | desktop | web
Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15
Firefox | 132.0 | macOS | 10.15 | desktop | web
Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:132.0) Gecko/20100101 Firefox/132.0
Firefox | 133.0 | Windows | 10 | desktop | web
Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0
Microsoft Edge | 131.0.0.0 | Windows | 10 | desktop | web
Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0
Opera | 115.0.0.0 | Windows | 10 | desktop | web
Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0
Vivaldi | 7.0.3495.11 | Windows | 10 | desktop | web
Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Vivaldi/7.0.3495.11
Yandex Browser | 24.10.0.0 | Windows | 10 | desktop | web
Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 YaBrowser/24.10.0.0 Safari/537.36
Firefox | 133.0 | Linux | - | desktop | web
Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0
Firefox | 132.0 | Linux | - | desktop | web
Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0
Chrome | 131.0.0.0 | Android | 10 | mobile | web
Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36
Chrome | 131.0.0.0 | Android | 10 | tablet | web
Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36
Samsung Internet for Android | 26.0 | Android | 14 | mobile | web
Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36
Samsung Internet for Android | 27.0 | Android | 10 | tablet | web
Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Safari/537.36
Firefox | 132.0 | Android | 14 | mobile | web
Mozilla/5.0 (Android 14; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0
Firefox | 132.0 | Android | 14 | tablet | web
Mozilla/5.0 (Android 14; Tablet; rv:132.0) Gecko/132.0 Firefox/132.0
Chrome | 131.0.6778.39 | Android | 14 | mobile | web
Mozilla/5.0 (Linux; Android 14; Pixel 8 Pro Build/AP2A.240805.005; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/131.0.6778.39 Mobile Safari/537.36 Instagram 357.1.0.52.100 Android (34/14; 480dpi; 1344x2772; Google/google; Pixel 8 Pro; husky; husky; en_US; 662944209)
Safari | - | iOS | 17.6.1 | mobile | web
Mozilla/5.0 (iPhone; CPU iPhone OS 17_6_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/21G93 [FBAN/FBIOS;FBAV/489.0.0.40.111;FBBV/661396303;FBDV/iPhone14,5;FBMD/iPhone;FBSN/iOS;FBSV/17.6.1;FBSS/3;FBID/phone;FBLC/en_US;FBOP/5]
Chrome | 131.0.6778.81 | Android | 13 | mobile | web
Mozilla/5.0 (Linux; Android 13; SM-A536B Build/TP1A.220624.014; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/131.0.6778.81 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/490.0.0.49.84;]
Safari | - | iOS | 17.5.1 | mobile | web
Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 musical_ly_37.1.0 JsSdk/2.0 NetType/WIFI Channel/App Store ByteLocale/en Region/US
Chrome | 130.0.6723.107 | Android | 14 | mobile | web
Mozilla/5.0 (Linux; Android 14; 23021RAA2Y Build/UKQ1; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0.6723.107 Mobile Safari/537.36 trill_370104 BytedanceWebview/d8a21c6
WeChat | 8.0.53 | iOS | 17.6 | mobile | web
Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.53(0x18003531) NetType/WIFI Language/zh_CN
Safari | - | iOS | 18.0 | mobile | web
Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Snapchat/13.12.0.40 (like Safari/8620.1.16.10.11, panda)
Google Search | 340.3.695 | iOS | 17.6 | mobile | web
Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/340.3.695 Mobile/15E148 Safari/604.1
Huawei Browser | 14.0.5.302 | Android | 12 | tablet | web
Mozilla/5.0 (Linux; Android 12; AGS3K-W09) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0.4844.88 HuaweiBrowser/14.0.5.302 Safari/537.36
Huawei Browser | 15.0.4.312 | Android | 12 | mobile | web
Mozilla/5.0 (Linux; Android 12; NOH-NX9; HMSCore 6.13.0.352) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.5735.196 HuaweiBrowser/15.0.4.312 Mobile Safari/537.36
Miui | 18.8.40411 | Android | 13 | mobile | web
Mozilla/5.0 (Linux; U; Android 13; zh-cn; 2211133C Build/TKQ1.220905.001) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/112.0.5615.136 Mobile Safari/537.36 XiaoMi/MiuiBrowser/18.8.40411
Chrome | 114.0.0.0 | HarmonyOS | 5.0 | mobile | web
Mozilla/5.0 (Phone; OpenHarmony 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1 Mobile
Amazon Silk | 128.4.1 | Android | 11 | tablet | web
Mozilla/5.0 (Linux; Android 11; KFTRWI Build/RS8317) AppleWebKit/537.36 (KHTML, like Gecko) Silk/128.4.1 like Chrome/128.0.6613.187 Safari/537.36
Amazon Silk | 122.3.1 | Android | 9 | tv | web
Mozilla/5.0 (Linux; Android 9; AFTSSS) AppleWebKit/537.36 (KHTML, like Gecko) Silk/122.3.1 like Chrome/122.0.6261.120 Safari/537.36
Tizen | - | Tizen | 7.0 | tv | web
Mozilla/5.0 (SMART-TV; LINUX; Tizen 7.0) AppleWebKit/537.36 (KHTML, like Gecko) 94.0.4606.31/7.0 TV Safari/537.36
Samsung Internet for Android | 3.0 | Tizen | 6.0 | tv | web
Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/3.0 Chrome/76.0.3809.146 TV Safari/537.36
WebOS Browser | - | WebOS | - | tv | web
Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0.4606.128 Safari/537.36 DMOST/2.0.0 (; LGE; webOSTV; WEBOS6.3.2 03.21.16; W6_lm21a;)
Chrome | 130.0.0.0 | Android | 12 | tv | web
Mozilla/5.0 (Linux; Android 12; BRAVIA VH2 Build/STT1.230203.002) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36
Chrome | 118.0.0.0 | Android | 12 | tv | web
Mozilla/5.0 (Linux; Android 12; Chromecast Build/STTE.230319.008) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/118.0.0.0 Safari/537.36 CrKey/1.56.500000
- | - | - | - | tv | -
AppleTV14,1/18.0
Roku | 12.5 | Roku | 12.5 | tv | -
Roku/DVP-12.5 (12.5.0.4178-88)
Safari | 17.0 | PlayStation 5 | 9.00 | tv | web
Mozilla/5.0 (PlayStation; PlayStation 5/9.00) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/605.1.15
PlayStation 4 | - | PlayStation 4 | 11.00 | tv | web
Mozilla/5.0 (PlayStation 4 11.00) AppleWebKit/605.1.15 (KHTML, like Gecko)
Microsoft Edge | 130.0.0.0 | Windows | 10 | tv | web
Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0
Safari | - | - | - | tv | web
Mozilla/5.0 (Nintendo Switch; WifiWebAuthApplet) AppleWebKit/613.0 (KHTML, like Gecko) NF/6.0.3.25.0 NintendoBrowser/5.1.0.33874
Oculus Browser | 36.3.0.14.57.664128113 | Linux | - | desktop | web
Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) OculusBrowser/36.3.0.14.57.664128113 Chrome/130.0.6723.58 VR Safari/537.36
Oculus Browser | 35.2 | Android | 14 | tablet | web
Mozilla/5.0 (Linux; Android 14; Quest 3) AppleWebKit/537.36 (KHTML, like Gecko) OculusBrowser/35.2 Chrome/126.0.6478.186 VR Safari/537.36
Chrome | 131.0.0.0 | Linux | - | desktop | web
Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/131.0.0.0 Safari/537.36
GPTBot | 1.2 | - | - | bot | -
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)
ChatGPT-User | 1.0 | - | - | bot | -
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot
OAI-SearchBot | 1.0 | - | - | bot | -
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot
ClaudeBot | 1.0 | - | - | bot | -
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)
ClaudeBot | 1.0 | - | - | bot | -
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)
ClaudeBot | 1.0 | - | - | bot | -
Claude-SearchBot/1.0
PerplexityBot | 1.0 | - | - | bot | -
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)
Perplexity-User | 1.0 | - | - | bot | -
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)
Googlebot | 2.1 | Android | 6.0.1 | bot | -
Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.6778.69 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)
BingCrawler | 2.0 | - | - | bot | -
Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)
Android Browser | - | Android | 5.0 | bot | -
Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)
CCBot | 2.0 | - | - | bot | -
CCBot/2.0 (https://commoncrawl.org/faq/)
Meta-ExternalAgent | 1.1 | - | - | bot | -
meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)
FacebookExternalHit | - | - | - | bot | -
facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)
Safari | 13.1.1 | macOS | 10.15.5 | bot | -
Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)
AmazonBot | 0.1 | - | - | bot | -
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot) Chrome/119.0.6045.214 Safari/537.36
DuckAssistBot | 1.2 | - | - | bot | -
DuckAssistBot/1.2; (+http://duckduckgo.com/duckassistbot.html)
- | - | - | - | bot | -
MistralAI-User/1.0
Safari | - | - | - | bot | -
Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; MistralAI-User/1.0; +https://docs.mistral.ai/robots)
- | - | - | - | bot | -
cohere-ai
- | - | - | - | bot | -
Google-CloudVertexBot
- | - | - | - | bot | -
xAI-SearchBot/1.0
- | - | - | - | bot | -
NovaAct
Chrome | 131.0.0.0 | macOS | 10.15.7 | bot | -
Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 GoogleAgent-Mariner
- | - | - | - | - | -
python-requests/2.32.3
- | - | - | - | - | -
python-httpx/0.27.2
- | - | - | - | - | -
Go-http-client/2.0
- | - | - | - | - | -
PostmanRuntime/7.42.0
- | - | - | - | - | -
Java/17.0.2
Apache-HttpClient | 4.5.14 | - | - | - | -
Apache-HttpClient/4.5.14 (Java/17.0.9)
Chrome | 131.0.0.0 | Android | 13 | tablet | web
Mozilla/5.0 (Linux; Android 13; Redmi Pad Build/TP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/131.0.0.0 Safari/537.36
Chrome | 130.0.0.0 | Android | 11 | mobile | web
Mozilla/5.0 (Linux; Android 11; moto g(50)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36
Firefox | 84.0 | KAIOS | 3.1 | mobile | web
Mozilla/5.0 (Mobile; Nokia_2780_Flip; rv:84.0) Gecko/84.0 Firefox/84.0 KAIOS/3.1
Samsung Internet for Android | 1.0 | Tizen | 2.3 | mobile | web
Mozilla/5.0 (Linux; Tizen 2.3; SAMSUNG SM-Z130H) AppleWebKit/537.3 (KHTML, like Gecko) SamsungBrowser/1.0 Mobile Safari/537.3
Electron | 33.2.0 | Windows | 10 | desktop | web
Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Slack/4.41.98 Chrome/130.0.6723.118 Electron/33.2.0 Safari/537.36
Opera | 83.0.2254 | Android | - | mobile | web
Opera/9.80 (Android; Opera Mini/83.0.2254/191.322; U; en) Presto/2.12.423 Version/12.16
Opera | 86.0.0.0 | Android | 13 | mobile | web
Mozilla/5.0 (Linux; Android 13; Pixel 6a) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36 OPR/86.0.0.0
DuckDuckGo | 5 | Android | 14 | mobile | web
Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile DuckDuckGo/5 Safari/537.36
Firefox | 115.0 | Windows | 7 | desktop | web
Mozilla/5.0 (Windows NT 6.1; Win64; x64; rv:115.0) Gecko/20100101 Firefox/115.0
Internet Explorer | 11.0 | Windows | 10 | desktop | web
Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko
Chrome | 126 | Linux | - | desktop | web
Mozilla/5.0 (Tesla; X11; GNU/Linux) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126 Safari/537.36 Tesla/2024.38
Chrome | 131.0.0.0 | Linux | - | desktop | web
Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36
Chrome | 131.0.0.0 | Android | 14 | tablet | web
Mozilla/5.0 (Linux; Android 14; SM-T970) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36
`;

const COLUMNS = ['_browser', '_browser_version', '_os', '_os_version', '_device_type', '_platform'] as const;

describe('userAgentFields of agents of 2024 to 2026', () => {
  const lines = AGENTS.trim().split('\n');
  for (let at = 0; at < lines.length; at += 2) {
    const [expected = '', agent = ''] = lines.slice(at, at + 2);
    it(`are ${expected} for ${agent}`, () => {
      const fields = Object.fromEntries(userAgentFields(agent));
      expect(COLUMNS.map((column) => fields[column] ?? '-').join(' | ')).to.equal(expected);
    });
  }
});
