//! The function words of the languages: short, because a word that every passage has weighs next to nothing anyway.

use crate::language::Language;

/// The words of each language, as they are written.
pub(crate) const STOP_WORDS: &[(Language, &str)] = &[
    (
        Language::English,
        "a about after all also am an and any are as at be because been before being between both but by can could \
         did do does doing during each for from had has have having he her here hers him his how i if in into is it \
         its itself just me more most my no nor not of off on once only or other our out over own same she should so \
         some such than that the their them then there these they this those through to too under until up very was \
         we were what when where which while who whom whose why will with would you your",
    ),
    (
        Language::German,
        "aber alle als also am an auch auf aus bei bin bis da das dass dem den der des die dies diese dieser dieses \
         doch dort du durch ein eine einem einen einer eines er es für gegen hat hatte ich ihr ihre im in ist ja kann \
         kein keine man mehr mit nach nicht noch nur ob oder ohne sein seine sich sie sind so über um und uns unter \
         vom von vor war waren was wer wenn werden wie wir wird wo zu zum zur",
    ),
    (
        Language::French,
        "à au aux avec ce ces cette dans de des du elle elles en est et eux fut il ils je la le les leur leurs lui \
         mais me même mes moi mon ne nos notre nous on ont ou où par pas plus pour qu que quel quelle qui sa sans se \
         ses son sont sur ta te tes ton tu un une vos votre vous c d j l m n s t y été était",
    ),
    (
        Language::Spanish,
        "a al como con cual cuando de del desde donde el ella ellos en entre era es esta este está fue ha hasta hay \
         la las le les lo los más me mi muy no nos o para pero por porque qué que quien se sin sobre son su sus \
         también tu un una uno y ya",
    ),
    (
        Language::Italian,
        "a ai al alla alle anche che chi ci come con da dal dalla dei del della delle di dove e è ed era gli ha hanno \
         i il in io la le lo loro ma mi nel nella non o per più quale quando quella questo se si sono su sua suo tra \
         un una uno l d dell all nell",
    ),
    (
        Language::Portuguese,
        "a ao aos as à com como da das de do dos e é ela ele em entre era essa este foi há isso já mais mas me na nas \
         não no nos o os ou onde para pela pelo por qual quando que quem se sem seu sua são também um uma",
    ),
    (
        Language::Dutch,
        "aan al als bij dan dat de der deze die dit door een en er had heb hebben heeft het hij hoe ik in is kan maar \
         me meer met mijn na naar niet nog nu of om onder ook op over te tot uit van veel voor waar wanneer was wat \
         we wel werd wie wij worden zal ze zich zij zijn zo",
    ),
    (
        Language::Swedish,
        "att av blev de dem den denna det detta du där efter ej eller en er ett från för ha hade han har hon hur i \
         inte jag kan man med men mot nu när och om på sig sin ska som så till under upp ut var vad vem vi vid är",
    ),
    (
        Language::Danish,
        "af alle at blev de den denne der det dette du efter eller en er et for fra han har havde hun hvad hvem hvor \
         hvordan i ikke jeg kan man med meget men mod når og om op over på sig som så til ud under var ved vi været",
    ),
    (
        Language::Norwegian,
        "av alle at ble de den denne der det dette du etter eller en er et for fra han har hadde hun hva hvem hvor \
         hvordan i ikke jeg kan man med mye men mot når og om opp over på seg som så til ut under var ved vi vært",
    ),
    (
        Language::Finnish,
        "ei ja että en he hän ja jos joka jotka kanssa kuin kun me mikä minä missä mitä mutta myös ne ni nyt oli on \
         ovat se sekä sen siellä siitä tai tämä te vai vain",
    ),
    (
        Language::Romanian,
        "a acest această ai al ale am are au ca care ce cu cum când de din după ea ei el este eu fi fost în la le lui \
         mai mult nu o pe pentru prin sau se sunt și un una unde unei unui va",
    ),
    (
        Language::Hungarian,
        "a az és hogy nem is egy ez azt van volt meg csak de ha már még mint ki mi mit hol mikor vagy ezt aki ami \
         lesz nincs után között",
    ),
    (
        Language::Turkish,
        "ama bir bu çok da daha de değil diye en gibi her için ile ise kadar ki kim mi mı mu mü ne neden nerede o \
         olan olarak sonra şu ve veya ya",
    ),
    (
        Language::Russian,
        "а без более бы был была были было быть в вам вас во вот все всё вы где да для до его ее её если есть ещё же \
         за и из или им их к как какой когда кто ли на над не него неё нет но о об он она они оно от по под при с со \
         так там то тоже только у уже чем что чтобы это этот я",
    ),
    (
        Language::Greek,
        "και το η ο τα οι της του των με σε για από που είναι δεν θα να στο στη στην στον την τον τους τις ένα μια \
         ως αλλά αν πως ποιος πού",
    ),
    (
        Language::Arabic,
        "في من على إلى عن مع هذا هذه ذلك التي الذي ما لا لم لن أن إن كان كانت هو هي و أو ثم قد كل بين",
    ),
];
